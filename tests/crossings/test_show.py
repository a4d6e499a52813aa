"""What show.py prints can be pasted, and says what is wrong."""

from dataclasses import replace

import pytest
import show
import sklearn
from cases import make
from entrances import ENTRANCES
from of_files import CommandLineError
from transcript import Transcript

SHOWN = (57, 77, 142)  # which go through all lines of the table together
pytestmark = pytest.mark.filterwarnings("ignore")


def run(code):
    """What the code finds, with the settings of scikit-learn as they were."""
    names = {}
    with sklearn.config_context():
        exec(code, names)
    return names["found"]


def calls(seed):
    case = make(seed)
    return [(each, part) for each in ENTRANCES if (part := each.part_of(case)) is not None]


def ends_with(call):
    """What a call gives, or its error; the command line exits where ``of_files`` raises one."""
    try:
        return str(call())
    except (CommandLineError, SystemExit):
        return SystemExit
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("seed", SHOWN)
def test_printed_code_reproduces_the_result_of_the_call(seed):
    for entrance, part in calls(seed):
        with Transcript() as told:
            ended = ends_with(lambda entrance=entrance, part=part: entrance.call(part))
        found = ends_with(lambda told=told: run(told.code()))
        assert found == (ended if isinstance(ended, type) else str(told.last)), told.code()


def test_printed_code_is_checked_for_every_entrance():
    assert {entrance.line for seed in SHOWN for entrance, _ in calls(seed)} == {
        entrance.line for entrance in ENTRANCES
    }


def test_show_prints_actual_beside_expected_value(capsys):
    show.main("142", "average_precision_score")
    shown = capsys.readouterr().out
    assert f"# value: came {run(shown)}, expected " in shown
    assert shown.endswith("# The call is right.\n")


def test_show_names_a_wrong_number_that_its_code_prints(capsys):
    name = "average_precision_interval"
    entrance, part = next(call for call in calls(142) if call[0].line == name)
    show.show(replace(entrance, expected=lambda case: {"estimate": 2.0}), part)
    shown = capsys.readouterr().out
    found = run(shown)
    assert f"# estimate is wrong: came {found.estimate}, expected 2.0\n" in shown
    assert capsys.readouterr().out.startswith(f"{found.estimate}\n")


def test_show_reports_an_unknown_function_name(capsys):
    show.main("77", "nothing")
    assert "No line of entrances.py with the name 'nothing'" in capsys.readouterr().out
