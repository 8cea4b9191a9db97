// SPDX-License-Identifier: Apache-2.0
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./look/tokens.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { StateBadge } from "./parts/state-badge.tsx";
import { connectionStates } from "./words/connection-words.ts";

const place = document.getElementById("page");
if (place === null) throw new Error("index.html has no element #page");
createRoot(place).render(
  <StrictMode>
    {connectionStates.map((state) => (
      <StateBadge key={state} state={state} />
    ))}
  </StrictMode>,
);
