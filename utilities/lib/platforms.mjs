/**
 * Where pull requests are made: the program that does it, how one is found and made, and what to do when the program refuses.
 * Each answers with the words of a command and reads what it prints.
 */
export const gitHub = {
  name: "GitHub",
  program: "gh",
  install: "install the GitHub CLI (https://cli.github.com), then gh auth login",
  logIn: "log in with gh auth login, or set GH_TOKEN",
  find: ({ branch, base }) => [
    "pr",
    "list",
    "--head",
    branch,
    "--base",
    base,
    "--state",
    "open",
    "--json",
    "url",
    "--limit",
    "1",
  ],
  found: (text) => JSON.parse(text)[0]?.url,
  create: ({ branch, base, title, body }) => [
    "pr",
    "create",
    "--head",
    branch,
    "--base",
    base,
    "--title",
    title,
    "--body",
    body,
  ],
  made: (text) => text.trim().split("\n").at(-1),
};

const AZURE_LIST = "repos pr list --detect true --output json --status active".split(" ");
const AZURE_CREATE = "repos pr create --detect true --output json".split(" ");

export const azureDevOps = {
  name: "Azure DevOps",
  program: "az",
  install: "install the Azure CLI, then az extension add --name azure-devops",
  logIn: "log in with az login, or set AZURE_DEVOPS_EXT_PAT; az extension add --name azure-devops where it is missing",
  find: ({ branch, base }) => [...AZURE_LIST, "--source-branch", branch, "--target-branch", base],
  found: (text) => addressOf(JSON.parse(text)[0]),
  create: ({ branch, base, title, body }) => [
    ...AZURE_CREATE,
    "--source-branch",
    branch,
    "--target-branch",
    base,
    "--title",
    title,
    "--description",
    body,
  ],
  made: (text) => addressOf(JSON.parse(text)),
};

function addressOf(request) {
  const { pullRequestId, repository, url } = request ?? {};
  if (repository?.webUrl && pullRequestId) return `${repository.webUrl}/pullrequest/${pullRequestId}`;
  return url;
}
