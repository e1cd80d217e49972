"""Online: a policy that decides and learns in the world, and the journal of all that happened to it."""
