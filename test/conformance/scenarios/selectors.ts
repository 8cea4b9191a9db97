// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { configMap, configMaps, makeServiceAccount, pod, podSpec, pods } from "./bodies.ts";

function select(name: string, labelSelector: string): Step {
  return { name, method: "GET", path: configMaps, query: { labelSelector } };
}

function selectField(name: string, fieldSelector: string, path: string = configMaps): Step {
  return { name, method: "GET", path, query: { fieldSelector } };
}

function labelled(name: string, labels: Readonly<Record<string, string>>): Step {
  return { name: `create ${name}`, method: "POST", path: configMaps, body: configMap(name, {}, { labels }) };
}

export const selectors: Topic = {
  name: "selectors",
  scenarios: [
    {
      id: "label-selectors",
      steps: [
        labelled("one", { app: "web", tier: "front", n: "5" }),
        labelled("two", { app: "web", tier: "back", n: "10" }),
        labelled("three", { app: "db" }),
        labelled("four", {}),
        select("equal", "app=web"),
        select("equal, written with two signs", "app==web"),
        select("not equal also takes those without", "app!=web"),
        select("in", "tier in (front, back)"),
        select("not in also takes those without", "tier notin (front)"),
        select("there", "tier"),
        select("not there", "!tier"),
        select("greater", "n>5"),
        select("less", "n<10"),
        select("all of several", "app=web,tier!=front"),
        select("an empty value", "app="),
        select("an empty selector", ""),
        select("no value after in", "app in"),
        select("broken", "app=web,,"),
        select("a bad key", "-a=b"),
        select("a bad value", "a=b c"),
        select("not a number", "n>five"),
        { name: "delete what is selected", method: "DELETE", path: configMaps, query: { labelSelector: "app=web" } },
        select("what is left", ""),
      ],
    },
    {
      id: "field-selectors",
      steps: [
        labelled("one", {}),
        labelled("two", {}),
        selectField("by name", "metadata.name=one"),
        selectField("not by name", "metadata.name!=one"),
        selectField("by namespace", "metadata.namespace=${ns}"),
        selectField("by two", "metadata.name=one,metadata.name=two"),
        selectField("a field that cannot be selected", "data.a=1"),
        selectField("broken", "metadata.name"),
        makeServiceAccount,
        {
          name: "a pod",
          method: "POST",
          path: pods,
          body: pod("p", { ...podSpec, nodeName: "n1", restartPolicy: "Never" }),
        },
        selectField("pods by node", "spec.nodeName=n1", pods),
        selectField("pods by phase", "status.phase=Pending", pods),
        selectField("pods by another phase", "status.phase!=Pending", pods),
        selectField("pods by restart policy", "spec.restartPolicy=Never", pods),
        selectField("pods by what cannot be selected", "spec.containers=x", pods),
        selectField("namespaces by phase and name", "status.phase=Active,metadata.name=${ns}", "/api/v1/namespaces"),
      ],
    },
  ],
};
