"""From what a source says of its relations to the text of a configuration; only :mod:`.looking` asks anything."""
