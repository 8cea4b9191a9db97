// SPDX-License-Identifier: Apache-2.0
import { callHub } from "./call-hub.ts";
import { defineVerb, type Verb } from "./verb.ts";

const nameArg = { name: "NAME" } as const;
const queryArg = { name: "QUERY" } as const;

/** Verbs about queries that the hub keeps for its users. */
const savedVerbs: readonly Verb[] = [
  defineVerb({
    name: "saved-query create",
    summary: "Saves a query under a name; everyone who runs it sees what their own rights allow.",
    args: [nameArg, queryArg],
    examples: ["saved-query create broken 'status=unhealthy cluster:prod-*' --columns cluster,kind,name,reason"],
    load: async () => {
      const { createSavedQuery } = await import("../../cli/saved-queries/save-query.ts");
      return ({ config, args: [name = "", query = ""], runtime }) =>
        callHub(config, runtime, (hub) => createSavedQuery(hub, { ...config, name, query, isPrivate: config.private }));
    },
  }),
  defineVerb({
    name: "saved-query update",
    summary: "Replaces a saved query of yours: its text, description and view.",
    args: [nameArg, queryArg],
    examples: ["saved-query update broken 'status=unhealthy'"],
    load: async () => {
      const { updateSavedQuery } = await import("../../cli/saved-queries/save-query.ts");
      return ({ config, args: [name = "", query = ""], runtime }) =>
        callHub(config, runtime, (hub) => updateSavedQuery(hub, { ...config, name, query, isPrivate: config.private }));
    },
  }),
  defineVerb({
    name: "saved-query list",
    summary: "Lists the shared queries and your private ones.",
    load: async () => {
      const { listSavedQueries } = await import("../../cli/saved-queries/list-saved-queries.ts");
      return ({ config, runtime }) => callHub(config, runtime, listSavedQueries);
    },
  }),
  defineVerb({
    name: "saved-query get",
    summary: "Shows one saved query.",
    args: [nameArg],
    load: async () => {
      const { getSavedQuery } = await import("../../cli/saved-queries/list-saved-queries.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => getSavedQuery(hub, { name, isPrivate: config.private }));
    },
  }),
  defineVerb({
    name: "saved-query delete",
    summary: "Deletes a saved query of yours; administrators delete any.",
    args: [nameArg],
    load: async () => {
      const { deleteSavedQuery } = await import("../../cli/saved-queries/save-query.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) =>
          deleteSavedQuery(hub, { name, isPrivate: config.private, owner: config.owner }),
        );
    },
  }),
  defineVerb({
    name: "saved-query run",
    summary: "Prints the objects that match a saved query, as query does, with your own rights.",
    args: [nameArg],
    examples: ["saved-query run broken -o csv"],
    load: async () => {
      const { runSavedQuery } = await import("../../cli/saved-queries/run-saved-query.ts");
      const { toQueryFormat } = await import("../../cli/query/query-format.ts");
      return ({ config, args: [name = ""], runtime }) => {
        const wanted = { name, isPrivate: config.private, limit: config.limit, format: toQueryFormat(config.output) };
        return callHub({ ...config, output: "text" }, runtime, (hub) => runSavedQuery(hub, wanted));
      };
    },
  }),
];

/** Verbs about queries that the hub evaluates with the rights of their owner. */
const standingVerbs: readonly Verb[] = [
  defineVerb({
    name: "standing-query create",
    summary: "Creates a query that the hub evaluates as you, and whose changes it sends to a webhook.",
    args: [nameArg, queryArg],
    examples: [
      "standing-query create broken 'status=unhealthy cluster:prod-*' --receiver https://hooks.example.com/flotilla",
      "standing-query create too-many 'kind:Pod status=unhealthy' --on threshold --above 20 --for 5m --receiver https://hooks.example.com/flotilla",
    ],
    load: async () => {
      const { createStandingQuery } = await import("../../cli/saved-queries/create-standing-query.ts");
      return ({ config, args: [name = "", query = ""], runtime }) =>
        callHub(config, runtime, (hub) =>
          createStandingQuery(hub, { ...config, name, query, secret: config.signingSecret?.reveal() }),
        );
    },
  }),
  defineVerb({
    name: "standing-query update",
    summary: "Replaces a standing query of yours: its text, condition, receiver, interval and description.",
    args: [nameArg, queryArg],
    load: async () => {
      const { updateStandingQuery } = await import("../../cli/saved-queries/create-standing-query.ts");
      return ({ config, args: [name = "", query = ""], runtime }) =>
        callHub(config, runtime, (hub) =>
          updateStandingQuery(hub, { ...config, name, query, secret: config.signingSecret?.reveal() }),
        );
    },
  }),
  defineVerb({
    name: "standing-query list",
    summary: "Lists your standing queries and the state of each.",
    load: async () => {
      const { listStandingQueries } = await import("../../cli/saved-queries/list-standing-queries.ts");
      return ({ config, runtime }) => callHub(config, runtime, (hub) => listStandingQueries(hub, config));
    },
  }),
  defineVerb({
    name: "standing-query get",
    summary: "Shows one standing query: its condition, its deliveries, and why it has stopped if it has.",
    args: [nameArg],
    load: async () => {
      const { getStandingQuery } = await import("../../cli/saved-queries/list-standing-queries.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => getStandingQuery(hub, { name, owner: config.owner }));
    },
  }),
  defineVerb({
    name: "standing-query delete",
    summary: "Deletes a standing query of yours; administrators delete any.",
    args: [nameArg],
    load: async () => {
      const { deleteStandingQuery } = await import("../../cli/saved-queries/change-standing-query.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => deleteStandingQuery(hub, { name, owner: config.owner }));
    },
  }),
  defineVerb({
    name: "standing-query pause",
    summary: "Stops the evaluation and the deliveries of a standing query until it is resumed.",
    args: [nameArg],
    load: async () => {
      const { pauseStandingQuery } = await import("../../cli/saved-queries/change-standing-query.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => pauseStandingQuery(hub, { name, owner: config.owner }));
    },
  }),
  defineVerb({
    name: "standing-query resume",
    summary: "Continues a paused, suspended or dead standing query of yours, with your present groups.",
    args: [nameArg],
    load: async () => {
      const { resumeStandingQuery } = await import("../../cli/saved-queries/change-standing-query.ts");
      return ({ config, args: [name = ""], runtime }) =>
        callHub(config, runtime, (hub) => resumeStandingQuery(hub, name));
    },
  }),
];

/** Verbs about saved and standing queries. */
export const savedQueryVerbs: readonly Verb[] = [...savedVerbs, ...standingVerbs];
