// A rehearsed cast of the project in this folder: node cast.mjs
import { loadProject, readRehearsal, startCast } from "pi-materia";

const project = loadProject(process.cwd());
const replies = readRehearsal('{ "replies": { "Build": [{ "text": "done" }] } }');
if (!project.ok || !replies.ok) throw new Error("the project or the replies cannot be read");
const cast = await startCast(project.value, { request: "Say hello", link: ["Build"], rehearsal: replies.value });
if (!cast.ok) throw new Error(cast.issues.map(({ message }) => message).join("\n"));
for await (const event of cast.value.events) console.log(event.seq, event.type);
const end = await cast.value.done;
console.log(end.ok ? end.value.status : end.issues[0]?.message);
