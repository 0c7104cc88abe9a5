COLUMNS=50 wick help completion
