"""The decision service: learners behind HTTP, durable, and expecting to be lied to."""
