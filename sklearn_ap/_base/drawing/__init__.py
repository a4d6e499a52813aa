"""What every picture uses: axes, lines, names and legends."""
