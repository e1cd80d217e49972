// Written by make_types.py from the OpenAPI document: change the messages of the service, not this file.
export {};
