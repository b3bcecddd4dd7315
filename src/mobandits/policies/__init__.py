"""One algorithm per file, named as its paper names it."""

from mobandits.policies.baselines.random_choice import RandomChoice
from mobandits.policies.baselines.single_arm import SingleArm
from mobandits.policies.cells.cd_ucb1 import CdUcb1
from mobandits.policies.cells.cp_ucb1 import CpUcb1
from mobandits.policies.cells.cs_ucb1 import CsUcb1
from mobandits.policies.cells.moc_mab import MocMab
from mobandits.policies.context_free.annealing_pareto import AnnealingPareto
from mobandits.policies.context_free.exp3p import Exp3P
from mobandits.policies.context_free.pareto_kg import ParetoKg
from mobandits.policies.context_free.pareto_ts import ParetoTs
from mobandits.policies.context_free.pareto_ucb1 import ParetoUcb1
from mobandits.policies.context_free.scalarized_ucb1 import ScalarizedUcb1
from mobandits.policies.context_free.ucb1 import Ucb1
from mobandits.policies.lexicographic.moslb_pareto_ucb import MoslbParetoUcb
from mobandits.policies.lexicographic.moslb_pc import MoslbPc
from mobandits.policies.lexicographic.moslb_pl import MoslbPl
from mobandits.policies.lexicographic.mtlo import Mtlo
from mobandits.policies.lexicographic.pf_lex import PfLex
from mobandits.policies.lexicographic.stlo import Stlo
from mobandits.policies.linear.hypervolume_ucb import HypervolumeUcb
from mobandits.policies.linear.moglb_ucb import MoglbUcb
from mobandits.policies.linear.mol_eps_greedy import MolEpsGreedy
from mobandits.policies.linear.mol_ts import MolTs
from mobandits.policies.linear.mol_ucb import MolUcb
from mobandits.policies.linear.pfi_rls import PfiRls
from mobandits.policies.wrappers.doubling import Doubling
from mobandits.policies.wrappers.forgetting import Forgetting
from mobandits.policies.zooming.contextual_zooming import ContextualZooming
from mobandits.policies.zooming.pcz import Pcz

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
