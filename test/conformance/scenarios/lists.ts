// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { configMap, configMaps } from "./bodies.ts";

function create(name: string): Step {
  return { name: `create ${name}`, method: "POST", path: configMaps, body: configMap(name) };
}

function list(name: string, query: Readonly<Record<string, string>>, save?: Step["save"]): Step {
  return { name, method: "GET", path: configMaps, query, ...(save === undefined ? {} : { save }) };
}

const token = (text: string): string => Buffer.from(text).toString("base64url");

export const lists: Topic = {
  name: "lists",
  scenarios: [
    {
      id: "pages",
      steps: [
        ...["a", "b", "c", "d", "e"].map(create),
        list("first page", { limit: "2" }, { next: "metadata.continue", rv: "metadata.resourceVersion" }),
        create("aa"),
        list("second page is of the same moment", { limit: "2", continue: "${next}" }, { last: "metadata.continue" }),
        list("last page", { limit: "2", continue: "${last}" }),
        list("the rest without a limit", { continue: "${next}" }),
        list("a page with a selector does not count the rest", { limit: "2", labelSelector: "!x" }),
        list("a page that holds everything", { limit: "6" }),
        list("limit 0", { limit: "0" }),
        list("resourceVersion 0 ignores the limit", { limit: "1", resourceVersion: "0" }),
        list("exactly then", { resourceVersion: "${rv}", resourceVersionMatch: "Exact" }),
        list("not older than then", { resourceVersion: "${rv}", resourceVersionMatch: "NotOlderThan" }),
        list("not older, said by default", { resourceVersion: "${rv}" }),
        list("a page of then", { resourceVersion: "${rv}", limit: "2" }),
        list("a page not older", { resourceVersion: "0", resourceVersionMatch: "NotOlderThan", limit: "2" }),
      ],
    },
    {
      id: "list-refusals",
      steps: [
        create("a"),
        create("b"),
        list("a page", { limit: "1" }, { next: "metadata.continue" }),
        list("a negative limit", { limit: "-1" }),
        list("a limit that is no number", { limit: "few" }),
        list("continue that is no token", { continue: "garbage" }),
        list("continue that is base64 of garbage", { continue: token("garbage") }),
        list("continue of another version", { continue: token('{"v":"meta.k8s.io/v9","rv":5,"start":"a"}') }),
        list("continue without a start", { continue: token('{"v":"meta.k8s.io/v1","rv":5}') }),
        list("continue of revision 0", { continue: token('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}') }),
        list("continue that leaves its place", { continue: token('{"v":"meta.k8s.io/v1","rv":5,"start":"../x"}') }),
        list("continue with a resourceVersion", { continue: "${next}", resourceVersion: "5" }),
        list("continue with resourceVersion 0", { continue: "${next}", resourceVersion: "0" }),
        list("continue with a match", { continue: "${next}", resourceVersionMatch: "Exact" }),
        list("a match without a resourceVersion", { resourceVersionMatch: "Exact" }),
        list("a match that nobody knows", { resourceVersion: "5", resourceVersionMatch: "About" }),
        list("exactly 0", { resourceVersion: "0", resourceVersionMatch: "Exact" }),
        list("a resourceVersion that is none", { resourceVersion: "abc" }),
        list("initial events without a watch", { sendInitialEvents: "true" }),
        list("initial events of a watch without a match", { watch: "true", sendInitialEvents: "true" }),
        list("a watch with a match and no initial events", {
          watch: "true",
          resourceVersion: "5",
          resourceVersionMatch: "NotOlderThan",
        }),
        list("a watch with initial events and a wrong match", {
          watch: "true",
          sendInitialEvents: "true",
          resourceVersionMatch: "Exact",
          resourceVersion: "5",
          allowWatchBookmarks: "true",
        }),
        list("a watch that goes on from a page", { watch: "true", continue: "${next}" }),
        list("a watch at no resourceVersion", { watch: "true", resourceVersion: "abc" }),
        list("a watch with a bad selector", { watch: "true", labelSelector: "a=b=c" }),
        { ...list("watch that is neither true nor false", { watch: "maybe" }), events: 1 },
        list("a resourceVersion of the future", { resourceVersion: "99999999" }),
        {
          name: "an object at a resourceVersion of the future",
          method: "GET",
          path: `${configMaps}/a`,
          query: { resourceVersion: "99999999" },
        },
        {
          name: "an object at resourceVersion 0",
          method: "GET",
          path: `${configMaps}/a`,
          query: { resourceVersion: "0" },
        },
        {
          name: "an object at no resourceVersion",
          method: "GET",
          path: `${configMaps}/a`,
          query: { resourceVersion: "abc" },
        },
      ],
    },
  ],
};
