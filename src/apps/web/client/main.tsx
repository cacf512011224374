import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./ground/tokens.css";
import "./ground/base.css";
import "./parts/controls.css";
import "./parts/marks.css";
import "./parts/orb.css";
import "./parts/dialog.css";
import "./shell/shell.css";
import { App } from "./app.tsx";
import { takeToken } from "./net/request.ts";
import { startKeys } from "./shell/keys.ts";
import { showTheme } from "./shell/theme.ts";

takeToken();
showTheme();
startKeys();

const root = document.getElementById("root");
if (!root) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
