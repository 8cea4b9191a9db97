// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { asTable, configMap, configMaps, mergePatch } from "./bodies.ts";

function watch(
  name: string,
  events: number,
  query: Readonly<Record<string, string>> = {},
  headers?: Step["headers"],
): Step {
  return {
    name,
    method: "GET",
    path: configMaps,
    query: { watch: "true", ...query },
    events,
    ...(headers === undefined ? {} : { headers }),
  };
}

const start: Step = { name: "start", method: "GET", path: configMaps, save: { rv: "metadata.resourceVersion" } };
const create = (name: string, labels: Readonly<Record<string, string>> = {}): Step => ({
  name: `create ${name}`,
  method: "POST",
  path: configMaps,
  body: configMap(name, { a: "1" }, { labels }),
});
const patch = (name: string, title: string, body: unknown): Step => ({
  name: title,
  method: "PATCH",
  path: `${configMaps}/${name}`,
  headers: mergePatch,
  body,
});
const remove = (name: string): Step => ({ name: `delete ${name}`, method: "DELETE", path: `${configMaps}/${name}` });

export const watches: Topic = {
  name: "watches",
  scenarios: [
    {
      id: "watch-changes",
      steps: [
        start,
        create("a"),
        patch("a", "change a", { data: { a: "2" } }),
        patch("a", "a change that changes nothing", { data: { a: "2" } }),
        create("b"),
        remove("a"),
        create("end"),
        watch("everything since the start", 5, { resourceVersion: "${rv}" }),
        watch("the state first", 2),
        watch("the state first, at resourceVersion 0", 2, { resourceVersion: "0" }),
        watch("one name", 3, { resourceVersion: "${rv}", fieldSelector: "metadata.name=a" }),
        watch("as a table", 5, { resourceVersion: "${rv}" }, asTable),
        {
          ...watch("by its old path", 5, { resourceVersion: "${rv}" }),
          path: "/api/v1/watch/namespaces/${ns}/configmaps",
        },
        {
          ...watch("one object by its path", 1, { resourceVersion: "${rv}", timeoutSeconds: "1" }),
          path: `${configMaps}/end`,
        },
      ],
    },
    {
      id: "watch-selectors",
      steps: [
        start,
        create("a", { x: "1" }),
        create("b", { x: "2" }),
        patch("b", "b starts to match", { metadata: { labels: { x: "1" } } }),
        patch("b", "b changes and matches", { data: { a: "3" } }),
        patch("b", "b stops to match", { metadata: { labels: { x: "2" } } }),
        remove("b"),
        remove("a"),
        create("end", { x: "1" }),
        watch("by label", 6, { resourceVersion: "${rv}", labelSelector: "x=1" }),
        watch("by the other label", 4, { resourceVersion: "${rv}", labelSelector: "x=2" }),
      ],
    },
    {
      id: "watch-bookmarks",
      steps: [
        create("a"),
        create("b"),
        watch("initial events end with a bookmark", 3, {
          sendInitialEvents: "true",
          allowWatchBookmarks: "true",
          resourceVersionMatch: "NotOlderThan",
        }),
        watch("of nothing", 1, {
          sendInitialEvents: "true",
          allowWatchBookmarks: "true",
          resourceVersionMatch: "NotOlderThan",
          labelSelector: "none=here",
        }),
        watch("without bookmarks", 2, {
          sendInitialEvents: "true",
          resourceVersionMatch: "NotOlderThan",
          timeoutSeconds: "1",
        }),
        watch("no initial events", 1, {
          sendInitialEvents: "false",
          allowWatchBookmarks: "false",
          resourceVersionMatch: "NotOlderThan",
          resourceVersion: "0",
          timeoutSeconds: "1",
        }),
        watch(
          "as a table",
          3,
          { sendInitialEvents: "true", allowWatchBookmarks: "true", resourceVersionMatch: "NotOlderThan" },
          asTable,
        ),
      ],
    },
    {
      id: "watch-ends",
      steps: [
        watch("too old", 1, { resourceVersion: "1" }),
        watch("in the future stays silent", 1, { resourceVersion: "99999999", timeoutSeconds: "1" }),
        watch("after its time", 1, { timeoutSeconds: "1" }),
        {
          ...watch("in a namespace that is not there", 1, { timeoutSeconds: "1" }),
          path: "/api/v1/namespaces/none-${run}/configmaps",
        },
        { ...watch("of a resource that is not there", 1), path: "/api/v1/namespaces/${ns}/gadgets" },
        { ...watch("without the right", 1), as: "bob" },
        { ...watch("as HTML", 1), headers: { accept: "text/html" } },
      ],
    },
    {
      id: "watch-finalizers",
      steps: [
        start,
        {
          name: "create",
          method: "POST",
          path: configMaps,
          body: configMap("f", {}, { finalizers: ["example.com/hold"] }),
        },
        remove("f"),
        patch("f", "release", { metadata: { finalizers: null } }),
        watch("its events", 3, { resourceVersion: "${rv}" }),
      ],
    },
  ],
};
