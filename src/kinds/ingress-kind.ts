// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../model/text.ts";
import { fieldOf, integerOf, isObject, listOf, textOf, textsOf } from "./fields.ts";
import { type Columns, isSameList, jsonTexts, type Kind, type Projected, setColumn } from "./kind.ts";

/**
 * Ingresses: which Service each host and path goes to. Healthy without an address, because not every controller writes
 * one. `classAnnotation` marks a class of the annotation that preceded the field. `ruleHosts` has the host of every
 * rule, "" for none, in the object's order; it is set where it differs from `hosts`.
 */
export const ingressKind: Kind = {
  resource: { group: "networking.k8s.io", resource: "ingresses" },
  kind: "Ingress",
  versions: ["v1"],
  isNamespaced: true,
  isConfiguration: true,
  columns: [
    { name: "class", type: "string", isMain: true },
    { name: "classAnnotation", type: "boolean" },
    { name: "hosts", type: "stringList", isMain: true },
    { name: "ruleHosts", type: "stringList" },
    { name: "addresses", type: "stringList", isMain: true },
    { name: "paths", type: "stringList", isJson: true },
    { name: "defaultBackend", type: "stringList", isJson: true },
    { name: "tls", type: "boolean" },
    { name: "tlsHosts", type: "stringList" },
  ],
  project: projectIngress,
};

function projectIngress(object: unknown): Projected {
  const columns: Columns = new Map();
  const rules = listOf(object, "spec", "rules");
  const defaultBackend = fieldOf(object, "spec", "defaultBackend");
  setClass(columns, object);
  const ruleHosts = rules.map((each) => textOf(each, "host") ?? "");
  const hosts = toSet(ruleHosts.filter((host) => host !== ""));
  setColumn(columns, "hosts", hosts);
  if (hosts.length > 0 && !isSameList(ruleHosts, hosts)) setColumn(columns, "ruleHosts", ruleHosts);
  setColumn(columns, "addresses", addressesOf(object));
  setColumn(columns, "paths", jsonTexts(rules.flatMap(toPaths)));
  if (isObject(defaultBackend)) setColumn(columns, "defaultBackend", jsonTexts([toBackend(defaultBackend)]));
  const tls = listOf(object, "spec", "tls");
  if (tls.length > 0) columns.set("tls", true);
  setColumn(columns, "tlsHosts", toSet(tls.flatMap((each) => textsOf(each, "hosts"))));
  return { columns };
}

function toSet(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort(compareUtf8);
}

/** The field, or the annotation that preceded it. */
function setClass(columns: Columns, object: unknown): void {
  const given = textOf(object, "spec", "ingressClassName");
  const annotated = textOf(object, "metadata", "annotations", "kubernetes.io/ingress.class");
  setColumn(columns, "class", given ?? annotated);
  if (given === undefined && annotated !== undefined) columns.set("classAnnotation", true);
}

function addressesOf(object: unknown): readonly string[] {
  const ingress = listOf(object, "status", "loadBalancer", "ingress");
  return ingress.flatMap((each) => textOf(each, "ip") ?? textOf(each, "hostname") ?? []);
}

/** One element for each path, in the object's order. A rule without a host applies to all hosts. */
function toPaths(rule: unknown): readonly Readonly<Record<string, unknown>>[] {
  const host = textOf(rule, "host");
  return listOf(rule, "http", "paths").map((each) => ({
    host,
    path: textOf(each, "path"),
    pathType: textOf(each, "pathType"),
    ...toBackend(fieldOf(each, "backend")),
  }));
}

/** A Service and its port by number or name, or another object by kind and name. */
function toBackend(backend: unknown): Readonly<Record<string, unknown>> {
  return {
    service: textOf(backend, "service", "name"),
    port: integerOf(backend, "service", "port", "number") ?? textOf(backend, "service", "port", "name"),
    resourceKind: textOf(backend, "resource", "kind"),
    resourceName: textOf(backend, "resource", "name"),
  };
}
