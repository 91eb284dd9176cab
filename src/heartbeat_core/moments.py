"""Times as the agent reads and writes them, and the arithmetic between two of them.

Lives here: the agent zone, the one format of 5.1, parsing of `atIso` (6.5), epoch milliseconds
(8.1). May not: ask what time it is. The only user of dateutil.
"""
