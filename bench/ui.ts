// SPDX-License-Identifier: Apache-2.0
// The hub's page: what a browser loads, how soon 1,000 clusters are there, what 500 changes a second make of it, and
// what open pages cost the hub. Budget: script <= 200 kB; interactive <= 1.5 s; no task over 100 ms; heap flat; an
// update is encoded once for all viewers (docs/spec/page.md PG7, PG10, PG11, PG20). BENCH_ONLY=script,browser,viewers
// chooses; BENCH_CLUSTERS, BENCH_CHANGES (a second), BENCH_SECONDS.
import { join } from "node:path";
import { root, runNode } from "../scripts/project.ts";
import { benchBrowser } from "./ui/bench-browser.ts";
import { benchScriptSize } from "./ui/bench-script-size.ts";
import { benchViewers } from "./ui/bench-viewers.ts";
import { PageHub } from "./ui/page-hub.ts";

const clusterCount = Number(process.env["BENCH_CLUSTERS"] ?? 1_000);
const changesPerSecond = Number(process.env["BENCH_CHANGES"] ?? 500);
const seconds = Number(process.env["BENCH_SECONDS"] ?? 60);
const chosen = (process.env["BENCH_ONLY"] ?? "script,browser,viewers").split(",");

/** What a fleet does on a calm day: a change of each cluster in 40 s. */
const calmChangesPerSecond = 25;

/** 200 viewers, and eight streams of a token (PG15). */
const tokenCount = 25;

const { code, output } = await runNode([join(root, "scripts/build-page.ts")]);
if (code !== 0) throw new Error(`the page cannot be built: ${output}`);
await using hub = await PageHub.start({ clusterCount, tokenCount });
if (chosen.includes("script")) await benchScriptSize(hub.place.plainUrl);
if (chosen.includes("browser")) await benchBrowser(hub, { clusterCount, changesPerSecond, seconds });
if (chosen.includes("viewers"))
  for (const rate of [changesPerSecond, calmChangesPerSecond]) await benchViewers(hub, rate);
