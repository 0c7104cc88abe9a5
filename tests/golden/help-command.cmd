wick help completion
