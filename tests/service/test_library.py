"""Equal questions at the same time are one, whoever leaves; failures are not kept."""

from __future__ import annotations

import asyncio
import threading

import pytest

from unmove.service.failing import Refused
from unmove.service.library import Deadline, Library
from unmove.store.folder import Folder


def test_a_client_that_leaves_does_not_spoil_the_answer_of_another(small_tables: Folder) -> None:
    """The task goes on for the second client, and is worked on once."""
    library, begun, go_on = Library(small_tables), threading.Event(), threading.Event()
    deadline, calls = Deadline(), list[int]()

    def task() -> bytes:
        calls.append(1)
        begun.set()
        go_on.wait(10)
        deadline.check()
        return b"answer"

    async def ask() -> list[bytes]:
        first = asyncio.create_task(library.cached("question", task, deadline))
        await asyncio.to_thread(begun.wait, 10)
        second = asyncio.create_task(library.cached("question", task, Deadline()))
        await asyncio.sleep(0)
        deadline.leave()
        go_on.set()
        return list(await asyncio.gather(first, second))

    assert asyncio.run(ask()) == [b"answer", b"answer"]
    assert len(calls) == 1
    library.close()


def test_a_task_whose_only_client_has_left_ends(small_tables: Folder) -> None:
    """It is refused at its next check, and the next client has it worked out anew."""
    library, deadline = Library(small_tables), Deadline()
    deadline.leave()

    def late() -> bytes:
        deadline.check()
        return b"never"

    with pytest.raises(Refused):
        asyncio.run(library.cached("question", late, deadline))
    assert not library.is_cached("question")
    assert asyncio.run(library.cached("question", lambda: b"answer")) == b"answer"
    assert library.is_cached("question")
    library.close()
