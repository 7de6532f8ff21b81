"""Programs in a seat: whatever calls models by itself, and says by `play` what its move is.

A program gets turns from its ProgramSeat and an address for its calls, at which a ModelGateway
passes them on to the real server and keeps what was asked and said.
"""
