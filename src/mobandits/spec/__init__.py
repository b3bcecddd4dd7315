"""From names and TOML files to recipes, environments, orders, metrics, and a checked simulation."""

from mobandits.spec.building import build as build
from mobandits.spec.building import convert as convert
from mobandits.spec.building import objective_named as objective_named
from mobandits.spec.building import recipe_named as recipe_named
from mobandits.spec.registries import KINDS as KINDS
from mobandits.spec.registries import catalogue as catalogue
from mobandits.spec.specification import Specification as Specification
from mobandits.spec.specification import load as load
