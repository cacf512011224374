/** The names under which ways are drawn, marked and found again. Nobody takes one apart: whoever needs its parts makes it and compares. */
export function edgeWayId(from: string, index: number): string {
  return `edge:${from}:${index + 1}`;
}

/** Where an edge leads once it is used up. */
export function thenWayId(from: string, index: number): string {
  return `then:${from}:${index + 1}`;
}

/** A route of a loop; its form is fixed by the graph semantics. */
export function exitWayId(loop: string, exit: string): string {
  return `loop-exit:${loop}:${exit}`;
}

/** The end that a socket reaches where nothing matches. */
export function implicitEndWayId(from: string): string {
  return `end:${from}`;
}

/** The end behind the last item, where no exit says otherwise. */
export function loopEndWayId(loop: string, from: string): string {
  return `loop-end:${loop}:${from}`;
}

/** The way past a loop that has nothing to walk. */
export function emptyListWayId(loop: string): string {
  return `loop-empty:${loop}`;
}
