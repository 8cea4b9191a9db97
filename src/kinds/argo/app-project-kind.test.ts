// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { columnsOf, rowOf } from "../testing/sample-rows.ts";
import { appProjectKind as kind } from "./app-project-kind.ts";
import { argoSamples } from "./testing/samples.ts";

test("[L18] an AppProject's row has repositories without credentials and destinations, and is healthy [KI11]", () => {
  const row = rowOf(kind, argoSamples.appProject);
  expect(columnsOf(kind, row)).toEqual({
    repositories: ["https://git.example/apps", "*"],
    destinations: [{ server: "https://kubernetes.default.svc", namespace: "payments" }, { name: "in-cluster" }],
    sourceNamespaces: ["argocd"],
  });
  expect(row.status).toBe("healthy");
});
