// A person's gate in comments: `ask` writes the question of a waiting cast, `authorize` reads the answer of somebody
// who may write to the repository. Neither has a model, and no text of a comment reaches a shell.
import { annotate, commentsOf, cutComment, eventPayload, github, input, isOwn, setOutput } from "./runner.mjs";

const MARK = /^<!-- pi-materia gate ([A-Za-z0-9][\w-]*) (\d+) -->/;
const ANSWER = /^\/materia (yes|no)\b[ \t]*([^]*)$/;

/** Asks in the issue of the event, with the cast and the run that has its artifact. */
export async function ask() {
  const { issue, pull_request: pull } = eventPayload();
  const { GITHUB_RUN_ID: run, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;
  const castId = input("CAST_ID");
  if (!/^[A-Za-z0-9][\w-]*$/.test(castId)) throw new Error("cast-id is not the id of a cast");
  const number = (issue ?? pull)?.number;
  if (number === undefined) throw new Error("the event has no issue or pull request to ask in");
  // Quoted, and without tags, mentions and pictures: no line of an agent becomes a heading, a mark or an answer.
  const question = input("QUESTION")
    .replaceAll(/<(?=[A-Za-z/!?])/g, "&lt;")
    .replaceAll("@", "@<!-- -->")
    .replaceAll("![", "!\\[")
    .split(/\r\n|[\r\n]/)
    .map((line) => `> ${line}`);
  const body = [
    `<!-- pi-materia gate ${castId} ${run} -->`,
    `The cast \`${castId}\` waits for an answer:`,
    "",
    ...question.slice(0, 200),
    "",
    `Its story is in the summary of [its run](${server}/${repository}/actions/runs/${run}). Whoever may write to this repository answers with a comment: \`/materia yes\`, or \`/materia no\` and the reason.`,
  ].join("\n");
  await github("POST", `issues/${number}/comments`, { body: cutComment(body) });
}

/** The answer as outputs; without the right to write, or a question, an error. */
export async function authorize() {
  const { comment, issue } = eventPayload();
  const [, answer, message = ""] = ANSWER.exec(comment?.body ?? "") ?? [];
  const login = comment?.user?.login;
  if (answer === undefined || typeof login !== "string") return refuse("the comment is no answer to a cast");
  const { permission } = await github("GET", `collaborators/${encodeURIComponent(login)}/permission`);
  if (permission !== "admin" && permission !== "write")
    return refuse(`${login} may not answer: the right to write to this repository is missing`);
  if (answer === "no" && message.trim() === "") return refuse("a no needs its reason: /materia no <reason>");
  // Only a question of this workflow: another one would name an artifact that anybody can have made.
  const asked = (await commentsOf(issue.number)).findLast((each) => isOwn(each) && MARK.test(each.body ?? ""));
  if (asked === undefined) return refuse("no cast waits for an answer here");
  const [mark, castId, run] = MARK.exec(asked.body) ?? [];
  // Answered once: a second answer would continue the same artifact again.
  await github("PATCH", `issues/comments/${asked.id}`, {
    body: cutComment(`Answered by ${login}: **${answer}**\n${asked.body.slice(mark.length)}`),
  });
  for (const [name, value] of Object.entries({ "cast-id": castId, "run-id": run, answer, message: message.trim() }))
    setOutput(name, value);
  return 0;
}

function refuse(message) {
  annotate("error", message, { title: "Not answered" });
  return 1;
}
