// Written by `npm run classes` from the style sheets.
declare module "*/answer.module.css" {
  const classes: {
    readonly answer: string;
    readonly "answer-buttons": string;
    readonly "answer-field": string;
    readonly asked: string;
    readonly "asked-title": string;
    readonly label: string;
    readonly question: string;
  };
  export default classes;
}
declare module "*/base.module.css" {
  const classes: {
    readonly breakable: string;
    readonly cut: string;
    readonly faint: string;
    readonly grow: string;
    readonly icon: string;
    readonly "large-only": string;
    readonly light: string;
    readonly monospace: string;
    readonly "not-small": string;
    readonly number: string;
    readonly row: string;
    readonly secondary: string;
    readonly spoken: string;
    readonly strong: string;
    readonly "tone-accent": string;
    readonly "tone-bad": string;
    readonly "tone-good": string;
    readonly "tone-rework": string;
    readonly "tone-waiting": string;
    readonly wrap: string;
  };
  export default classes;
}
declare module "*/cast.module.css" {
  const classes: {
    readonly actions: string;
    readonly "back-to-live": string;
    readonly "cast-grid": string;
    readonly "cast-head": string;
    readonly "cast-issues": string;
    readonly "cast-reason": string;
    readonly "control-button": string;
    readonly crumbs: string;
    readonly facts: string;
    readonly "figures-only": string;
    readonly "graph-box": string;
    readonly "graph-panel": string;
    readonly "graph-wrap": string;
    readonly "legend-row": string;
    readonly "now-bar": string;
    readonly off: string;
    readonly panel: string;
    readonly "panel-head": string;
    readonly "part-tabs": string;
    readonly "react-flow": string;
    readonly "tone-accent": string;
    readonly waits: string;
  };
  export default classes;
}
declare module "*/casts.module.css" {
  const classes: {
    readonly "action-column": string;
    readonly card: string;
    readonly "card-group": string;
    readonly "card-place": string;
    readonly "cast-column": string;
    readonly "cast-row": string;
    readonly casts: string;
    readonly chips: string;
    readonly faint: string;
    readonly find: string;
    readonly "find-texts": string;
    readonly forecast: string;
    readonly "group-row": string;
    readonly "items-column": string;
    readonly keys: string;
    readonly list: string;
    readonly "loadout-below": string;
    readonly "loadout-column": string;
    readonly meter: string;
    readonly number: string;
    readonly "number-column": string;
    readonly "one-line": string;
    readonly "page-head": string;
    readonly panel: string;
    readonly request: string;
    readonly "request-cell": string;
    readonly roomy: string;
    readonly "status-column": string;
    readonly view: string;
    readonly whose: string;
    readonly "wide-meter": string;
  };
  export default classes;
}
declare module "*/cells.module.css" {
  const classes: {
    readonly cells: string;
    readonly current: string;
    readonly "current-reworked": string;
    readonly done: string;
    readonly "failed-cell": string;
    readonly "given-up": string;
    readonly meter: string;
    readonly reworked: string;
    readonly secondary: string;
    readonly spoken: string;
    readonly "wide-meter": string;
  };
  export default classes;
}
declare module "*/compare.module.css" {
  const classes: {
    readonly beside: string;
    readonly compared: string;
    readonly differs: string;
    readonly "file-names": string;
    readonly "handed-button": string;
    readonly "handed-diff": string;
    readonly panel: string;
    readonly "path-mark": string;
    readonly "path-row": string;
    readonly "path-side": string;
  };
  export default classes;
}
declare module "*/controls.module.css" {
  const classes: {
    readonly bad: string;
    readonly bare: string;
    readonly chooser: string;
    readonly "control-button": string;
    readonly count: string;
    readonly danger: string;
    readonly field: string;
    readonly icon: string;
    readonly "icon-only": string;
    readonly "menu-items": string;
    readonly "page-head": string;
    readonly picker: string;
    readonly primary: string;
    readonly segments: string;
    readonly tabs: string;
  };
  export default classes;
}
declare module "*/dialog.module.css" {
  const classes: {
    readonly dialog: string;
    readonly "dialog-body": string;
    readonly "dialog-foot": string;
    readonly "dialog-head": string;
    readonly "dialog-inner": string;
    readonly field: string;
    readonly goals: string;
    readonly "key-table": string;
    readonly label: string;
    readonly leaving: string;
    readonly "nothing-found": string;
    readonly option: string;
    readonly "search-dialog": string;
    readonly wide: string;
    readonly "would-run": string;
  };
  export default classes;
}
declare module "*/edges.module.css" {
  const classes: {
    readonly "arrow-head": string;
    readonly beside: string;
    readonly chosen: string;
    readonly connecting: string;
    readonly connectingto: string;
    readonly "doubtful-edge": string;
    readonly "edge-dot": string;
    readonly "edge-label": string;
    readonly "edge-line": string;
    readonly edges: string;
    readonly gate: string;
    readonly good: string;
    readonly "graph-box": string;
    readonly handle: string;
    readonly "handle-forward": string;
    readonly "handle-in": string;
    readonly "handle-return": string;
    readonly hit: string;
    readonly items: string;
    readonly "last-taken": string;
    readonly legend: string;
    readonly "on-band": string;
    readonly "on-loop": string;
    readonly "react-flow": string;
    readonly "refused-edge": string;
    readonly rework: string;
    readonly stitch: string;
    readonly "stitch-crosses": string;
    readonly unvisited: string;
  };
  export default classes;
}
declare module "*/editor.module.css" {
  const classes: {
    readonly added: string;
    readonly "below-canvas": string;
    readonly canvas: string;
    readonly changed: string;
    readonly changes: string;
    readonly "control-button": string;
    readonly dialog: string;
    readonly "editor-grid": string;
    readonly "editor-head": string;
    readonly "empty-canvas": string;
    readonly "find-socket": string;
    readonly "graph-box": string;
    readonly inspector: string;
    readonly "json-view": string;
    readonly kind: string;
    readonly legend: string;
    readonly nothing: string;
    readonly "on-json": string;
    readonly "panel-head": string;
    readonly primary: string;
    readonly problem: string;
    readonly "problem-text": string;
    readonly problems: string;
    readonly "problems-body": string;
    readonly "react-flow": string;
    readonly removed: string;
    readonly sheet: string;
    readonly "sheet-bar": string;
    readonly toolbar: string;
    readonly "worst-case": string;
    readonly zoom: string;
  };
  export default classes;
}
declare module "*/fields.module.css" {
  const classes: {
    readonly check: string;
    readonly "control-button": string;
    readonly dialog: string;
    readonly fault: string;
    readonly "fault-warning": string;
    readonly field: string;
    readonly "form-row": string;
    readonly icon: string;
    readonly label: string;
    readonly limit: string;
    readonly segments: string;
    readonly switch: string;
    readonly "switched-on": string;
  };
  export default classes;
}
declare module "*/files.module.css" {
  const classes: {
    readonly changed: string;
    readonly comment: string;
    readonly faint: string;
    readonly figure: string;
    readonly "file-added": string;
    readonly "file-deleted": string;
    readonly "file-lines": string;
    readonly "file-list": string;
    readonly "file-name": string;
    readonly "file-row": string;
    readonly "file-sign": string;
    readonly files: string;
    readonly "files-body": string;
    readonly "files-head": string;
    readonly "files-note": string;
    readonly "files-side": string;
    readonly "files-sum": string;
    readonly "gone-line": string;
    readonly history: string;
    readonly "history-visit": string;
    readonly hunk: string;
    readonly keyword: string;
    readonly line: string;
    readonly "line-number": string;
    readonly "line-sign": string;
    readonly "new-line": string;
    readonly "no-line": string;
    readonly pair: string;
    readonly patch: string;
    readonly "patch-head": string;
    readonly "patch-notes": string;
    readonly rows: string;
    readonly "rows-end": string;
    readonly string: string;
  };
  export default classes;
}
declare module "*/find.module.css" {
  const classes: {
    readonly "find-state": string;
    readonly found: string;
    readonly "found-list": string;
    readonly "found-words": string;
  };
  export default classes;
}
declare module "*/fleet.module.css" {
  const classes: {
    readonly draining: string;
    readonly driven: string;
    readonly fleet: string;
    readonly gone: string;
    readonly "gone-worker": string;
    readonly "last-sign": string;
    readonly nobody: string;
    readonly "place-number": string;
    readonly queued: string;
    readonly "queued-words": string;
    readonly rows: string;
    readonly seat: string;
    readonly seats: string;
    readonly state: string;
    readonly taken: string;
    readonly up: string;
    readonly worker: string;
    readonly "worker-head": string;
    readonly "worker-load": string;
  };
  export default classes;
}
declare module "*/graph.module.css" {
  const classes: {
    readonly band: string;
    readonly "band-label": string;
    readonly "chosen-region": string;
    readonly editing: string;
    readonly "first-line": string;
    readonly "graph-box": string;
    readonly grows: string;
    readonly mapped: string;
    readonly "react-flow": string;
    readonly region: string;
    readonly "region-button": string;
    readonly "region-head": string;
    readonly "second-line": string;
    readonly "wide-label": string;
  };
  export default classes;
}
declare module "*/help.module.css" {
  const classes: {
    readonly guide: string;
  };
  export default classes;
}
declare module "*/inspect.module.css" {
  const classes: {
    readonly assign: string;
    readonly badges: string;
    readonly "control-button": string;
    readonly "edge-order": string;
    readonly "edge-row": string;
    readonly exit: string;
    readonly field: string;
    readonly "icon-only": string;
    readonly limit: string;
    readonly "link-like": string;
    readonly "new-exit": string;
    readonly picker: string;
    readonly section: string;
    readonly small: string;
  };
  export default classes;
}
declare module "*/link.module.css" {
  const classes: {
    readonly adder: string;
    readonly "band-label": string;
    readonly chain: string;
    readonly "command-line": string;
    readonly compact: string;
    readonly "control-button": string;
    readonly edges: string;
    readonly "facts-list": string;
    readonly field: string;
    readonly "figures-table": string;
    readonly flipped: string;
    readonly foot: string;
    readonly goals: string;
    readonly "graph-box": string;
    readonly "graph-empty": string;
    readonly icon: string;
    readonly joint: string;
    readonly label: string;
    readonly "link-grid": string;
    readonly "link-head": string;
    readonly moves: string;
    readonly option: string;
    readonly panel: string;
    readonly "refused-end": string;
    readonly scrolls: string;
    readonly status: string;
    readonly tall: string;
    readonly target: string;
    readonly "target-order": string;
  };
  export default classes;
}
declare module "*/markdown.module.css" {
  const classes: {
    readonly code: string;
    readonly heading: string;
    readonly list: string;
    readonly plain: string;
    readonly quote: string;
    readonly rule: string;
    readonly table: string;
    readonly task: string;
  };
  export default classes;
}
declare module "*/marks.module.css" {
  const classes: {
    readonly bad: string;
    readonly badge: string;
    readonly chip: string;
    readonly code: string;
    readonly "code-comment": string;
    readonly "code-key": string;
    readonly "code-string": string;
    readonly "code-value": string;
    readonly command: string;
    readonly "facts-list": string;
    readonly "figures-table": string;
    readonly glyph: string;
    readonly good: string;
    readonly icon: string;
    readonly issues: string;
    readonly light: string;
    readonly note: string;
    readonly off: string;
    readonly panel: string;
    readonly "panel-head": string;
    readonly rework: string;
    readonly running: string;
    readonly spinner: string;
    readonly status: string;
    readonly strong: string;
    readonly "waiting-tone": string;
    readonly wrap: string;
  };
  export default classes;
}
declare module "*/materia.module.css" {
  const classes: {
    readonly "chosen-hue": string;
    readonly "command-fields": string;
    readonly "control-button": string;
    readonly faint: string;
    readonly "form-option": string;
    readonly "form-options": string;
    readonly hues: string;
    readonly insert: string;
    readonly label: string;
    readonly last: string;
    readonly "materia-form": string;
    readonly "materia-grid": string;
    readonly orb: string;
    readonly preview: string;
    readonly "preview-body": string;
    readonly "preview-head": string;
    readonly "preview-part": string;
    readonly "prompt-editor": string;
    readonly row: string;
    readonly section: string;
    readonly segments: string;
    readonly "side-panel": string;
    readonly variable: string;
    readonly variables: string;
    readonly whole: string;
  };
  export default classes;
}
declare module "*/mini-map.module.css" {
  const classes: {
    readonly "map-loop": string;
    readonly "map-sight": string;
    readonly "map-socket": string;
    readonly "mini-map": string;
  };
  export default classes;
}
declare module "*/node.module.css" {
  const classes: {
    readonly badge: string;
    readonly compact: string;
    readonly end: string;
    readonly error: string;
    readonly failed: string;
    readonly figure: string;
    readonly flag: string;
    readonly full: string;
    readonly live: string;
    readonly "now-tag": string;
    readonly orb: string;
    readonly past: string;
    readonly "second-row": string;
    readonly selected: string;
    readonly socket: string;
    readonly title: string;
    readonly "to-come": string;
    readonly visits: string;
    readonly waiting: string;
    readonly warned: string;
  };
  export default classes;
}
declare module "*/orb.module.css" {
  const classes: {
    readonly large: string;
    readonly orb: string;
    readonly person: string;
    readonly "small-size": string;
    readonly utility: string;
  };
  export default classes;
}
declare module "*/over-canvas.module.css" {
  const classes: {
    readonly callout: string;
    readonly connect: string;
    readonly "control-button": string;
    readonly plus: string;
    readonly warning: string;
  };
  export default classes;
}
declare module "*/page.module.css" {
  const classes: {
    readonly empty: string;
    readonly "page-head": string;
    readonly skeleton: string;
    readonly view: string;
  };
  export default classes;
}
declare module "*/play.module.css" {
  const classes: {
    readonly handed: string;
  };
  export default classes;
}
declare module "*/reader.module.css" {
  const classes: {
    readonly came: string;
    readonly caret: string;
    readonly "copy-place": string;
    readonly grow: string;
    readonly "in-a-row": string;
    readonly "new-lines": string;
    readonly note: string;
    readonly "option-facts": string;
    readonly output: string;
    readonly "quiet-link": string;
    readonly reasons: string;
    readonly said: string;
    readonly side: string;
    readonly step: string;
    readonly "step-button": string;
    readonly "text-button": string;
    readonly thinking: string;
    readonly told: string;
    readonly tool: string;
    readonly "tool-bad": string;
    readonly "tool-diff": string;
    readonly "tool-failed": string;
    readonly "tool-name": string;
    readonly "visit-body": string;
    readonly "visit-head": string;
    readonly "visit-main": string;
    readonly "visit-panel": string;
    readonly "visit-tabs": string;
    readonly "wide-body": string;
  };
  export default classes;
}
declare module "*/rehearse.module.css" {
  const classes: {
    readonly "control-button": string;
    readonly reply: string;
    readonly "reply-items": string;
    readonly "socket-replies": string;
  };
  export default classes;
}
declare module "*/save.module.css" {
  const classes: {
    readonly "added-line": string;
    readonly "block-title": string;
    readonly conflict: string;
    readonly dialog: string;
    readonly diff: string;
    readonly "diff-line": string;
    readonly "diff-sign": string;
    readonly fold: string;
    readonly gone: string;
    readonly icon: string;
    readonly "line-number": string;
    readonly note: string;
    readonly outdated: string;
    readonly review: string;
    readonly stays: string;
    readonly "three-way": string;
  };
  export default classes;
}
declare module "*/settings.module.css" {
  const classes: {
    readonly settings: string;
  };
  export default classes;
}
declare module "*/shell.module.css" {
  const classes: {
    readonly asked: string;
    readonly brand: string;
    readonly connecting: string;
    readonly connection: string;
    readonly dot: string;
    readonly "go-to": string;
    readonly icon: string;
    readonly "is-live": string;
    readonly loading: string;
    readonly lost: string;
    readonly navigation: string;
    readonly project: string;
    readonly refused: string;
    readonly "settings-link": string;
    readonly skip: string;
    readonly standing: string;
    readonly surroundings: string;
    readonly tally: string;
    readonly top: string;
    readonly "unsaved-dot": string;
  };
  export default classes;
}
declare module "*/tables.module.css" {
  const classes: {
    readonly "cost-chart": string;
    readonly "cost-columns": string;
    readonly "figures-table": string;
    readonly grow: string;
    readonly journal: string;
    readonly "looked-at": string;
    readonly padding: string;
    readonly "panel-head": string;
    readonly steps: string;
    readonly sum: string;
    readonly "time-panel": string;
    readonly tokens: string;
  };
  export default classes;
}
declare module "*/tests.module.css" {
  const classes: {
    readonly covered: string;
    readonly "covered-graph": string;
    readonly failure: string;
    readonly "never-taken": string;
    readonly results: string;
    readonly "results-list": string;
    readonly "results-title": string;
    readonly status: string;
    readonly test: string;
  };
  export default classes;
}
declare module "*/timeline.module.css" {
  const classes: {
    readonly axis: string;
    readonly "axis-cost": string;
    readonly "axis-label": string;
    readonly bar: string;
    readonly "bar-name": string;
    readonly "bar-sign": string;
    readonly "changed-files": string;
    readonly cost: string;
    readonly "failed-visit": string;
    readonly "folded-rows": string;
    readonly "given-up-mark": string;
    readonly "given-up-title": string;
    readonly "item-bar": string;
    readonly "item-mark": string;
    readonly lane: string;
    readonly later: string;
    readonly "materia-dot": string;
    readonly now: string;
    readonly "now-line": string;
    readonly read: string;
    readonly "refused-visit": string;
    readonly "row-label": string;
    readonly "row-number": string;
    readonly "running-visit": string;
    readonly "satisfied-visit": string;
    readonly scrub: string;
    readonly steps: string;
    readonly tick: string;
    readonly "time-body": string;
    readonly "time-key": string;
    readonly "time-top": string;
    readonly timeline: string;
    readonly "to-come-row": string;
    readonly "utility-bar": string;
    readonly "utility-dot": string;
    readonly "waiting-visit": string;
    readonly "worker-list": string;
    readonly "worker-stretch": string;
  };
  export default classes;
}
declare module "*/toasts.module.css" {
  const classes: {
    readonly toast: string;
    readonly "toast-bad": string;
    readonly "toast-good": string;
    readonly toasts: string;
  };
  export default classes;
}
declare module "*/workbench.module.css" {
  const classes: {
    readonly badge: string;
    readonly blank: string;
    readonly capital: string;
    readonly "control-button": string;
    readonly dialog: string;
    readonly divider: string;
    readonly drawer: string;
    readonly faint: string;
    readonly layer: string;
    readonly nothing: string;
    readonly padded: string;
    readonly section: string;
    readonly separator: string;
    readonly sheet: string;
    readonly "side-panel": string;
    readonly "side-row": string;
    readonly status: string;
    readonly thing: string;
    readonly toolbar: string;
    readonly unsaved: string;
    readonly "whole-width": string;
  };
  export default classes;
}
