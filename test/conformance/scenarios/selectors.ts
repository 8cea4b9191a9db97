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

const events = "/api/v1/namespaces/${ns}/events";
const eventsV1 = "/apis/events.k8s.io/v1/namespaces/${ns}/events";
const namesOfEvents = ["items.0.metadata.name", "items.1.metadata.name", "message"];

function makeEvent(name: string, path: string, event: Readonly<Record<string, unknown>>): Step {
  return { name: `create ${name}`, method: "POST", path, body: { metadata: { name }, ...event } };
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
    {
      id: "event-selectors",
      steps: [
        makeEvent("new", eventsV1, {
          eventTime: "2017-09-19T13:49:16.000000Z",
          reportingController: "example.com/controller",
          reportingInstance: "one",
          action: "Start",
          reason: "Started",
          type: "Normal",
          note: "it began",
          regarding: { apiVersion: "v1", kind: "Pod", namespace: "${ns}", name: "p", uid: "u1", fieldPath: "spec" },
        }),
        makeEvent("old", events, {
          source: { component: "kubelet", host: "n1" },
          reason: "Pulled",
          type: "Warning",
          involvedObject: { apiVersion: "v1", kind: "Node", namespace: "${ns}", name: "n", resourceVersion: "7" },
        }),
        ...[
          "regarding.kind=Pod",
          "regarding.namespace=${ns}",
          "regarding.name=p,regarding.kind!=Node",
          "regarding.uid=u1",
          "regarding.apiVersion=v1,regarding.fieldPath=spec",
          "regarding.resourceVersion=7",
          "reportingController=example.com/controller",
          "reportingController!=example.com/controller",
          "reason=Pulled",
          "type=Warning",
          "source=kubelet",
          "reportingComponent=kubelet",
          "involvedObject.kind=Pod",
        ].map((text) => ({ ...selectField(`v1 by ${text}`, text, eventsV1), pick: namesOfEvents })),
        ...[
          "involvedObject.kind=Pod",
          "involvedObject.name=n,involvedObject.namespace=${ns}",
          "source=kubelet",
          "source=example.com/controller",
          "reportingComponent=example.com/controller",
          "reportingComponent=kubelet",
          "reason=Started,type=Normal",
          "regarding.kind=Pod",
          "reportingController=kubelet",
        ].map((text) => ({ ...selectField(`core by ${text}`, text, events), pick: namesOfEvents })),
        {
          name: "watch by reportingController",
          method: "GET",
          path: eventsV1,
          query: {
            watch: "true",
            fieldSelector: "reportingController=example.com/controller",
            resourceVersion: "0",
            timeoutSeconds: "1",
          },
          events: 1,
        },
        {
          name: "delete by reason",
          method: "DELETE",
          path: eventsV1,
          query: { fieldSelector: "reason=Started" },
          pick: namesOfEvents,
        },
        { name: "what is left", method: "GET", path: events, pick: namesOfEvents },
      ],
    },
  ],
};
