"""Answers in a form that decode does not have."""

from program import answer, serve

serve(lambda question: answer({"seq": question["seq"], "data": "00"}))
