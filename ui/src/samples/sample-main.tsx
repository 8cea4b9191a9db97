// SPDX-License-Identifier: Apache-2.0
// The page on a sample fleet, without a hub: sample.html in the development server, never part of the build.
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../look/tokens.css";
import "../look/base.css";
import { createRoot } from "react-dom/client";
import { App } from "../app/app.tsx";
import { applyTheme } from "../frame/theme.ts";
import { createSampleLink } from "./sample-link.ts";
import { createSampleFetch } from "./sample-objects.ts";

applyTheme();
globalThis.fetch = createSampleFetch(globalThis.fetch.bind(globalThis));
const query = new URLSearchParams(globalThis.location.search);
const hop =
  query.get("hub") === "lost"
    ? ({
        kind: "lost",
        sinceMs: 0,
        sentence: "The hub cannot be reached.",
        attemptCount: 3,
        nextAttemptMs: 60_000,
      } as const)
    : undefined;
const link = createSampleLink(
  { count: Number(query.get("count") ?? 300), lostRegion: query.get("lost") ?? undefined },
  hop,
);
globalThis.history.replaceState(null, "", query.get("at") ?? "/ui/");
const place = document.getElementById("page");
if (place !== null) createRoot(place).render(<App link={link} pageVersion="" />);
