"""Programs that play seats: code that calls models by itself and sends its moves with `play`.

A ProgramSeat gives a program its turns and an address for its model calls. Behind the address, a
ModelGateway passes the calls on to the model's server and records requests and answers.
"""
