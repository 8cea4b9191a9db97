// SPDX-License-Identifier: Apache-2.0
// What looks at the page from inside of it. It is text, because it runs in the browser and not here.

/** What the probe has seen; times count from the start of the navigation. */
export interface ProbeFigures {
  /** When the first tiles were drawn; 0 = not yet. */
  readonly tilesMs: number;
  /** When the sheet that a key opens was drawn; 0 = not yet. */
  readonly answeredMs: number;
  /** How long each task over 50 ms was. */
  readonly longTasks: readonly number[];
}

/** Runs before anything of the page. */
export const probeScript = `(() => {
  const seen = { tilesMs: 0, answeredMs: 0, longTasks: [] };
  globalThis.benchProbe = seen;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  const drawn = (name) => requestAnimationFrame(() => setTimeout(() => { seen[name] ||= performance.now(); }));
  const observer = new MutationObserver(() => {
    if (seen.tilesMs === 0 && document.querySelector("[data-cluster]") !== null) drawn("tilesMs");
    if (seen.answeredMs === 0 && document.querySelector("dialog[open]") !== null) drawn("answeredMs");
    if (seen.tilesMs > 0 && seen.answeredMs > 0) observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true, attributes: true });
})();`;
