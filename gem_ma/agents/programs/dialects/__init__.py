"""Dialects of model APIs, in which programs ask a ModelGateway: one file for each.

A dialect turns a request into one of Chat Completions, and an answer of Chat Completions into its
own. Requests in OpenAI's form need none of them.
"""
