"""The suite: a frozen benchmark of policies under attack, its results, its score cards and its page."""
