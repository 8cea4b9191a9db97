// SPDX-License-Identifier: Apache-2.0
import { callHub } from "./call-hub.ts";
import { defineVerb, type Verb } from "./verb.ts";

const nameArg = { name: "NAME" } as const;
const load = () => import("../../cli/applications/application-commands.ts");

/** Verbs about groups of objects that are shown to users beside the clusters' own RBAC. */
export const applicationVerbs: readonly Verb[] = [
  defineVerb({
    name: "application create",
    summary: "Creates a group of objects over clusters; its users see them beside what each cluster's RBAC allows.",
    args: [nameArg, { name: "SELECTOR" }],
    load: async () => {
      const { createApplication } = await load();
      return ({ config, args: [name = "", selector = ""], runtime }) =>
        callHub(config, runtime, (hub) => createApplication(hub, { ...config, name, selector }));
    },
  }),
  defineVerb({
    name: "application list",
    summary: "Lists applications: the objects of each, and the users and groups that see them.",
    load: async () => {
      const { listApplications } = await load();
      return ({ config, runtime }) => callHub(config, runtime, listApplications);
    },
  }),
  defineVerb({
    name: "application grant",
    summary: "Shows the objects of an application to users and groups.",
    args: [nameArg],
    load: async () => {
      const { grantApplication } = await load();
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => grantApplication(hub, name, config));
    },
  }),
  defineVerb({
    name: "application revoke",
    summary: "Shows the objects of an application to users and groups no longer.",
    args: [nameArg],
    load: async () => {
      const { revokeApplication } = await load();
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => revokeApplication(hub, name, config));
    },
  }),
  defineVerb({
    name: "application delete",
    summary: "Deletes an application; its objects stay, and are shown by the clusters' RBAC alone.",
    args: [nameArg],
    load: async () => {
      const { deleteApplication } = await load();
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => deleteApplication(hub, name));
    },
  }),
];
