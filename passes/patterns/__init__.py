"""What each operation of the ownership dialect becomes in Tile IR, a file a family."""
