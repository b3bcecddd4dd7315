"""What the page of the demonstration says whatever the numbers are: captions, how to read it, and its limits."""

LEAD = """<p class="lead">Every prompt could be answered by any of {count} language models; the good ones cost up to
{ratio:.0f} times as much as the cheapest, and nobody knows beforehand which prompts need them. Here policies learn
it while they work, from nothing: a prompt comes, they pick a model, they see the quality and the price of that one
answer, and the next prompt comes.</p>"""

PLANE = """Better is up and to the left. Coloured marks are learners, averaged over all {rounds:,} prompts, learning
included; the faint dots are their single trials. Squares are the models by themselves; the dotted lines are what
tossing a coin between two of them gives. The blue line is <em>one</em> learner, whose beliefs are read with eleven
weights of quality against cost: nothing is learned anew when the preference changes. The dashed line picks, under
the same weights, the best answer after having seen all of them, which nobody can."""

CONTEXT = """Each reading asks for a score: weight × quality + (1 − weight) × thrift, where thrift is the cost on a
logarithmic scale, turned round. Above zero, the learner that saw the prompt’s text got a better score than the same
learner with a constant in its place, on the same orders of the prompts; bars are 95 % intervals. Blue circles count
every prompt, orange diamonds the second half only."""

REGRET = """Lower is better, and flat means that nothing is lost any more. Bands are 95 % intervals; most are as
thin as the lines. Regret is measured against the recorded answers of all models to the very same prompt, so no
policy that only sees prompts can keep it at zero, except by never paying for quality: nothing is cheaper than the
cheapest model, so nothing beats it in both objectives."""

USE = """Each panel is one policy; the height of a colour is the share of prompts that a model got, from the first
prompt to the last, averaged over trials. MOL-TS, MOL-UCB and MOL-eps-Greedy prefer nothing: they go on using every
model that they believe to be undominated for the prompt. The priorities settle on what they put first."""

READING = """<p>The <b>Pareto regret</b> of an answer says by how much, in quality and in thrift at once, another
model’s answer to the same prompt was better; it is zero where no other answer was better in both. The <b>effective
Pareto regret</b> also counts coins: it is zero only where no mixture of the other models was better in both. Both are
sums over the prompts so far, in units of the two scores, which run from 0 to 1. They say whether anything was wasted,
not whether the trade-off is the one you want: that is what weights and priorities are for.</p>"""

LIMITS = """<ul>
<li>The intervals are about luck with the order of the prompts and in the policies’ choices. Every trial uses the
same prompts and the same recorded answers; other prompts, models or prices would give other numbers.</li>
<li>Learners see the cost on a logarithmic scale: to them, one tenfold step counts like another. The page counts
dollars, where only the last step matters. A learner can do well by its own score and poorly by the dollar.</li>
<li>Priority levels compare the second objective only among models that tie in the first, and estimates on a
continuous scale hardly ever tie. Here “cost first” means the cheapest model, and “quality first” pays any price for
the last bit of quality.</li>
<li>The hindsight line picks among graded answers after the fact and profits from every quirk of the grades: it is a
bound, not a goal.</li>
<li>The features of the text were fitted on the words of the first file of prompts, without any grade or price.</li>
<li>“{best}” was chosen for the comparison without context because its mean effective Pareto regret was the lowest
of {balanced}, on these very trials; the priorities were left out, because “cost first” has a low regret by
definition.</li>
</ul>"""

SETTING = """<p>The data are the recorded answers of {models} to {rounds:,} benchmark prompts: for each answer a graded
quality from 0 to 1 and a price. A trial is one random order of the prompts; there are {trials}, and all policies play
the same ones.</p>
<ul>
<li><b>MOL-TS, MOL-UCB, MOL-eps-Greedy</b> learn from the prompt’s text what quality and thrift to expect of every
model, and play, each with its own kind of exploration, any model that is not dominated in both (for MOL-TS: not even
by a coin between two others).</li>
<li><b>MOSLB-PL</b> learns the same and puts one objective first; the other one decides among equals.</li>
<li><b>Scalarized-UCB1</b> looks at no text and tosses, for every prompt, whether quality, thrift or their mean
counts.</li>
<li><b>random</b> picks any model; <b>always …</b> is one model for every prompt.</li>
</ul>
<p>The constants of the policies follow from the rules below. They were tried out on 20 other orders of the
prompts (seed 1000), never on the trials that are reported here:</p>
<ul>{constants}</ul>"""
