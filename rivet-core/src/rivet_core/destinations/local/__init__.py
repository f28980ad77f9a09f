"""The destination ``local``: a folder, with the durability that a rename and fsync can give."""
