"""Messages without streams: JSON-RPC, MCP and MCPL over it, and wakes as requests of ours."""
