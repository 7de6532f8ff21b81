"""The names that serving imports from OpenEnv and its dependencies, or an error with the extra."""

from gem_ma.validation.extras import require_extra

with require_extra("openenv", "serving"):
    import uvicorn
    from fastapi import FastAPI, Request, Response
    from openenv.core.env_server.http_server import HTTPEnvServer
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
    from pydantic import BeforeValidator, ConfigDict, Field
    from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = [
    "Action",
    "BeforeValidator",
    "ConfigDict",
    "Environment",
    "EnvironmentMetadata",
    "FastAPI",
    "Field",
    "H11Protocol",
    "HTTPEnvServer",
    "Observation",
    "Request",
    "Response",
    "State",
    "uvicorn",
]
