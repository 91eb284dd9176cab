"""The agent in the same process: `embed`, the transport that calls its handler, stores without a disk."""
