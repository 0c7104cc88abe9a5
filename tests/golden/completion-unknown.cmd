wick completion tcsh
