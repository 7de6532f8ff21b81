"""The names that serving imports from OpenEnv and its dependencies, or an error with the extra."""

from gem_ma.validation.extras import require_extra

with require_extra("openenv", "serving"):
    import uvicorn
    from fastapi import FastAPI
    from openenv.core.env_server.http_server import HTTPEnvServer
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
    from pydantic import BeforeValidator, ConfigDict, Field
    from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = [
    "Action",
    "BeforeValidator",
    "ConfigDict",
    "Environment",
    "FastAPI",
    "Field",
    "H11Protocol",
    "HTTPEnvServer",
    "Observation",
    "State",
    "uvicorn",
]
