"""What all other folders use: checks of arguments, files, text, pictures, optional packages."""
