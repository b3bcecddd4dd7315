"""A disk that is full at random moments: what failed did not happen, and nothing else is lost."""

import random

import pytest
from logged_program import Life, plain, steps

from mobandits.errors import LogError
from mobandits.logs import Store

# The order may make decisions certain, which an agent warns of.
pytestmark = pytest.mark.filterwarnings("ignore::mobandits.errors.LogWarning")

STEPS = 250
FULL = 0.03  # of the steps find that the disk has become full


class OnFullDisk(Life):
    """The program on a disk that becomes full: a call that fails is made again when there is room.

    Attributes:
        refused: the errors of calls that failed.
    """

    def __init__(self, folder, seed):
        super().__init__(folder, "log")
        self.chance = random.Random(seed)
        self.refused = []

    def run(self, todo):
        for step in todo:
            if self.chance.random() < FULL:
                self.allow_pages(0)
            # A small event may find room in a page that is there: the disk stays full until one
            # does not.
            try:
                self.make(step)
            except LogError as error:
                self.refused.append(str(error))
                self.allow_pages(2**20)
                # Its time has passed all the same.
                self.make(step)

        self.allow_pages(2**20)

    def allow_pages(self, more):
        """Let the database grow by so many pages."""
        connection = self.log._writer.connection
        (count,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {count + more}")


def finished(life, folder):
    """The agent's file and its events, when the program has ended."""
    life.agent.save(folder / "end")
    life.agent.close()
    with Store(folder / "log") as store:
        return (folder / "end").read_bytes(), [plain(event) for event in store.events()]


def ends_like_its_twin(tmp_path, seed):
    todo = steps(seed, STEPS)
    folders = [tmp_path / "twin", tmp_path / "full"]
    for folder in folders:
        folder.mkdir()

    twin = Life(folders[0], "log")
    life = OnFullDisk(folders[1], seed)
    for each in (twin, life):
        each.run(todo)

    assert life.refused
    assert all("disk is full" in error for error in life.refused)
    assert finished(life, folders[1]) == finished(twin, folders[0])


@pytest.mark.long
def test_a_full_disk_changes_nothing(tmp_path):
    ends_like_its_twin(tmp_path, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_twenty_full_disks_change_nothing(tmp_path, seed):
    ends_like_its_twin(tmp_path, seed)
