"""What a user may meet between a verified module and a cubin: codes O401 to O499."""
