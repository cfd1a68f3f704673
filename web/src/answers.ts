// Answers that were given once are kept: going back and forth asks nothing.
import { api, type Answer, type Question } from "./api";

const LIMIT = 400;
const kept = new Map<string, Answer>();
const underWay = new Map<string, Promise<Answer>>();

const keyOf = ({ game, fen, metric, play }: Question) => [game, metric, fen, play ?? ""].join("|");

function keep(question: Question, answer: Answer): void {
  kept.set(keyOf(question), answer);
  kept.set(
    keyOf({ game: question.game, metric: question.metric, fen: answer.position.fen }),
    answer,
  );
  for (const key of kept.keys()) {
    if (kept.size <= LIMIT) break;
    kept.delete(key);
  }
}

/** The answer that is already here. */
export const known = (question: Question): Answer | undefined => kept.get(keyOf(question));

/** The answer, from the server if it is not here. */
export async function answerTo(question: Question, signal?: AbortSignal): Promise<Answer> {
  const key = keyOf(question);
  const here = kept.get(key);
  if (here) return here;
  const joined = underWay.get(key);
  if (joined) return joined;
  const answer = await api.position(question, signal);
  keep(question, answer);
  return answer;
}

/** The answer will be here soon; a failure is that of the real question later. */
export function prefetch(question: Question): void {
  const key = keyOf(question);
  if (kept.has(key) || underWay.has(key)) return;
  const asked = api.position(question);
  underWay.set(key, asked);
  asked
    .then(
      (answer) => keep(question, answer),
      () => undefined,
    )
    .finally(() => underWay.delete(key));
}

/** Nothing is kept: the tables may have changed. */
export const forget = (): void => kept.clear();
