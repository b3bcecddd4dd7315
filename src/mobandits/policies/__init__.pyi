"""One algorithm per file, named as its paper names it."""

from mobandits.policies.baselines.random_choice import RandomChoice as RandomChoice
from mobandits.policies.baselines.single_arm import SingleArm as SingleArm
from mobandits.policies.cells.cd_ucb1 import CdUcb1 as CdUcb1
from mobandits.policies.cells.cp_ucb1 import CpUcb1 as CpUcb1
from mobandits.policies.cells.cs_ucb1 import CsUcb1 as CsUcb1
from mobandits.policies.cells.moc_mab import MocMab as MocMab
from mobandits.policies.context_free.annealing_pareto import AnnealingPareto as AnnealingPareto
from mobandits.policies.context_free.exp3p import Exp3P as Exp3P
from mobandits.policies.context_free.ogde import Ogde as Ogde
from mobandits.policies.context_free.pareto_kg import ParetoKg as ParetoKg
from mobandits.policies.context_free.pareto_ts import ParetoTs as ParetoTs
from mobandits.policies.context_free.pareto_ucb1 import ParetoUcb1 as ParetoUcb1
from mobandits.policies.context_free.preference_ucb import PreferenceUcb as PreferenceUcb
from mobandits.policies.context_free.scalarized_ucb1 import ScalarizedUcb1 as ScalarizedUcb1
from mobandits.policies.context_free.ucb1 import Ucb1 as Ucb1
from mobandits.policies.context_free.width_guided import WidthGuided as WidthGuided
from mobandits.policies.identification.ape import Ape as Ape
from mobandits.policies.identification.ege import Ege as Ege
from mobandits.policies.identification.elimination import Elimination as Elimination
from mobandits.policies.identification.top_two_pareto_ts import TopTwoParetoTs as TopTwoParetoTs
from mobandits.policies.lexicographic.lex_elim import LexElim as LexElim
from mobandits.policies.lexicographic.moslb_pareto_ucb import MoslbParetoUcb as MoslbParetoUcb
from mobandits.policies.lexicographic.moslb_pc import MoslbPc as MoslbPc
from mobandits.policies.lexicographic.moslb_pl import MoslbPl as MoslbPl
from mobandits.policies.lexicographic.mtlo import Mtlo as Mtlo
from mobandits.policies.lexicographic.pf_lex import PfLex as PfLex
from mobandits.policies.lexicographic.stlo import Stlo as Stlo
from mobandits.policies.linear.hypervolume_ucb import HypervolumeUcb as HypervolumeUcb
from mobandits.policies.linear.moglb_ucb import MoglbUcb as MoglbUcb
from mobandits.policies.linear.mol_eps_greedy import MolEpsGreedy as MolEpsGreedy
from mobandits.policies.linear.mol_ts import MolTs as MolTs
from mobandits.policies.linear.mol_ucb import MolUcb as MolUcb
from mobandits.policies.linear.pfi_rls import PfiRls as PfiRls
from mobandits.policies.wrappers.conservative import Conservative as Conservative
from mobandits.policies.wrappers.diagonal import Diagonal as Diagonal
from mobandits.policies.wrappers.doubling import Doubling as Doubling
from mobandits.policies.wrappers.drift_alarm import DriftAlarm as DriftAlarm
from mobandits.policies.wrappers.features import Features as Features
from mobandits.policies.wrappers.forgetting import Forgetting as Forgetting
from mobandits.policies.wrappers.gap_weighted import GapWeighted as GapWeighted
from mobandits.policies.wrappers.neighbours import Neighbours as Neighbours
from mobandits.policies.wrappers.paced import Paced as Paced
from mobandits.policies.wrappers.pessimistic import Pessimistic as Pessimistic
from mobandits.policies.wrappers.primal_dual import PrimalDual as PrimalDual
from mobandits.policies.wrappers.rollout import Rollout as Rollout
from mobandits.policies.wrappers.with_floor import Falling as Falling
from mobandits.policies.wrappers.with_floor import WithFloor as WithFloor
from mobandits.policies.wrappers.within import Within as Within
from mobandits.policies.zooming.contextual_zooming import ContextualZooming as ContextualZooming
from mobandits.policies.zooming.pcz import Pcz as Pcz

__all__ = [
    "AnnealingPareto",
    "Ape",
    "CdUcb1",
    "Conservative",
    "ContextualZooming",
    "CpUcb1",
    "CsUcb1",
    "Diagonal",
    "Doubling",
    "DriftAlarm",
    "Ege",
    "Elimination",
    "Exp3P",
    "Falling",
    "Features",
    "Forgetting",
    "GapWeighted",
    "HypervolumeUcb",
    "LexElim",
    "MocMab",
    "MoglbUcb",
    "MolEpsGreedy",
    "MolTs",
    "MolUcb",
    "MoslbParetoUcb",
    "MoslbPc",
    "MoslbPl",
    "Mtlo",
    "Neighbours",
    "Ogde",
    "Paced",
    "ParetoKg",
    "ParetoTs",
    "ParetoUcb1",
    "Pcz",
    "Pessimistic",
    "PfLex",
    "PfiRls",
    "PreferenceUcb",
    "PrimalDual",
    "RandomChoice",
    "Rollout",
    "ScalarizedUcb1",
    "SingleArm",
    "Stlo",
    "TopTwoParetoTs",
    "Ucb1",
    "WidthGuided",
    "WithFloor",
    "Within",
]
