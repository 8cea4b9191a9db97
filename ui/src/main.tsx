// SPDX-License-Identifier: Apache-2.0
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./look/tokens.css";
import "./look/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { versionOfEntry } from "./frame/page-move.ts";
import { applyTheme } from "./frame/theme.ts";
import { openLink } from "./link/open-link.ts";

applyTheme();
const place = document.getElementById("page");
if (place === null) throw new Error("index.html has no element #page");
createRoot(place).render(
  <StrictMode>
    <App link={openLink()} pageVersion={versionOfEntry(import.meta.url)} />
  </StrictMode>,
);
