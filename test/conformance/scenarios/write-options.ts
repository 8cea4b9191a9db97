// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { configMap, configMaps, deployment, deployments, jsonPatch, mergePatch } from "./bodies.ts";

const dry = { dryRun: "All" };
const json = { "content-type": "application/json" };

function validated(name: string, fieldValidation: string, text: string): Step {
  return { name, method: "POST", path: configMaps, query: { fieldValidation, ...dry }, headers: json, text };
}

const twice =
  '{"metadata":{"name":"v","labels":{"l":"1","l":"2"}},"data":{"a":"1","a":"2"},"data":{"b":"3"},"extra":1,"other":{"x":1}}';

const deploymentText =
  '{"metadata":{"name":"v"},"spec":{"replicas":1,"replicas":2,"unknown1":true,"selector":{"matchLabels":{"a":"b"},"foo":1},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i","imagee":"x","image":"j"}]}}}}';

export const writeOptions: Topic = {
  name: "write-options",
  scenarios: [
    {
      id: "dry-run",
      steps: [
        { name: "create", method: "POST", path: configMaps, query: dry, body: configMap("d") },
        { name: "nothing was made", method: "GET", path: `${configMaps}/d` },
        { name: "create an invalid one", method: "POST", path: configMaps, query: dry, body: configMap("D") },
        { name: "really create", method: "POST", path: configMaps, body: configMap("d") },
        { name: "create what exists", method: "POST", path: configMaps, query: dry, body: configMap("d") },
        { name: "replace", method: "PUT", path: `${configMaps}/d`, query: dry, body: configMap("d", { b: "2" }) },
        {
          name: "patch",
          method: "PATCH",
          path: `${configMaps}/d`,
          query: dry,
          headers: mergePatch,
          body: { data: { c: "3" } },
        },
        { name: "delete", method: "DELETE", path: `${configMaps}/d`, query: dry },
        { name: "delete, said in the body", method: "DELETE", path: `${configMaps}/d`, body: { dryRun: ["All"] } },
        { name: "delete all", method: "DELETE", path: configMaps, query: dry },
        { name: "nothing has changed", method: "GET", path: `${configMaps}/d` },
        {
          name: "a dry run that nobody knows",
          method: "POST",
          path: configMaps,
          query: { dryRun: "Some" },
          body: configMap("e"),
        },
        {
          name: "an update with a dry run that nobody knows",
          method: "PUT",
          path: `${configMaps}/d`,
          query: { dryRun: "Some" },
          body: configMap("d"),
        },
        {
          name: "a delete with a dry run that nobody knows",
          method: "DELETE",
          path: `${configMaps}/d`,
          query: { dryRun: "Some" },
        },
      ],
    },
    {
      id: "field-validation",
      steps: [
        validated("strict", "Strict", twice),
        validated("warn", "Warn", twice),
        validated("ignore", "Ignore", twice),
        validated("what nobody knows", "Perhaps", twice),
        { name: "warn is the default", method: "POST", path: configMaps, query: dry, headers: json, text: twice },
        {
          name: "strict in a deployment",
          method: "POST",
          path: deployments,
          query: { fieldValidation: "Strict", ...dry },
          headers: json,
          text: deploymentText,
        },
        {
          name: "warn in a deployment",
          method: "POST",
          path: deployments,
          query: { fieldValidation: "Warn", ...dry },
          headers: json,
          text: deploymentText,
        },
        validated("case counts", "Strict", '{"metadata":{"name":"v"},"Data":{"a":"1"}}'),
        validated(
          "keys that objects inherit",
          "Strict",
          '{"metadata":{"name":"v","labels":{"constructor":"1","toString":"2"}},"data":{"__proto__":"3"},"__proto__":{"x":1}}',
        ),
        {
          name: "strict YAML",
          method: "POST",
          path: configMaps,
          query: { fieldValidation: "Strict", ...dry },
          headers: { "content-type": "application/yaml" },
          text: "metadata:\n  name: v\ndata:\n  a: p\n  a: q\nextra: 1\n",
        },
        { name: "create", method: "POST", path: deployments, body: deployment("d") },
        {
          name: "strict merge patch",
          method: "PATCH",
          path: `${deployments}/d`,
          query: { fieldValidation: "Strict" },
          headers: mergePatch,
          text: '{"spec":{"paused":true,"paused":false,"nope":1}}',
        },
        {
          name: "warning merge patch",
          method: "PATCH",
          path: `${deployments}/d`,
          headers: mergePatch,
          text: '{"spec":{"paused":true,"paused":false,"nope":1}}',
        },
        {
          name: "strict JSON patch",
          method: "PATCH",
          path: `${deployments}/d`,
          query: { fieldValidation: "Strict" },
          headers: jsonPatch,
          body: [{ op: "add", path: "/spec/nope", value: 1 }],
        },
        {
          name: "strict replace",
          method: "PUT",
          path: `${deployments}/d`,
          query: { fieldValidation: "Strict" },
          body: deployment("d", { nope: 1 }),
        },
        {
          name: "a field manager that is too long",
          method: "POST",
          path: configMaps,
          query: { fieldManager: "m".repeat(129), ...dry },
          body: configMap("m"),
        },
        {
          name: "a field manager that cannot be printed",
          method: "POST",
          path: configMaps,
          query: { fieldManager: "a\u0001", ...dry },
          body: configMap("m"),
        },
      ],
    },
  ],
};
