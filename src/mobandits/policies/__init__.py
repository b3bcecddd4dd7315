"""One algorithm per file, named as its paper names it."""

from mobandits.policies.annealing_pareto import AnnealingPareto
from mobandits.policies.cd_ucb1 import CdUcb1
from mobandits.policies.contextual_zooming import ContextualZooming
from mobandits.policies.cp_ucb1 import CpUcb1
from mobandits.policies.cs_ucb1 import CsUcb1
from mobandits.policies.doubling import Doubling
from mobandits.policies.exp3p import Exp3P
from mobandits.policies.forgetting import Forgetting
from mobandits.policies.hypervolume_ucb import HypervolumeUcb
from mobandits.policies.moc_mab import MocMab
from mobandits.policies.moglb_ucb import MoglbUcb
from mobandits.policies.mol_eps_greedy import MolEpsGreedy
from mobandits.policies.mol_ts import MolTs
from mobandits.policies.mol_ucb import MolUcb
from mobandits.policies.moslb_pareto_ucb import MoslbParetoUcb
from mobandits.policies.moslb_pc import MoslbPc
from mobandits.policies.moslb_pl import MoslbPl
from mobandits.policies.mtlo import Mtlo
from mobandits.policies.pareto_kg import ParetoKg
from mobandits.policies.pareto_ts import ParetoTs
from mobandits.policies.pareto_ucb1 import ParetoUcb1
from mobandits.policies.pcz import Pcz
from mobandits.policies.pf_lex import PfLex
from mobandits.policies.pfi_rls import PfiRls
from mobandits.policies.random_choice import RandomChoice
from mobandits.policies.scalarized_ucb1 import ScalarizedUcb1
from mobandits.policies.single_arm import SingleArm
from mobandits.policies.stlo import Stlo
from mobandits.policies.ucb1 import Ucb1

__all__ = [
    "AnnealingPareto",
    "CdUcb1",
    "ContextualZooming",
    "CpUcb1",
    "CsUcb1",
    "Doubling",
    "Exp3P",
    "Forgetting",
    "HypervolumeUcb",
    "MocMab",
    "MoglbUcb",
    "MolEpsGreedy",
    "MolTs",
    "MolUcb",
    "MoslbParetoUcb",
    "MoslbPc",
    "MoslbPl",
    "Mtlo",
    "ParetoKg",
    "ParetoTs",
    "ParetoUcb1",
    "Pcz",
    "PfLex",
    "PfiRls",
    "RandomChoice",
    "ScalarizedUcb1",
    "SingleArm",
    "Stlo",
    "Ucb1",
]
