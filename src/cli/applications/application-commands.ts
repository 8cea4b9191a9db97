// SPDX-License-Identifier: Apache-2.0
// Verbs about applications: groups of objects that are shown to users beside the clusters' own RBAC.
import { createClient } from "@connectrpc/connect";
import { type Application, ApplicationSchema, ApplicationService } from "../../gen/flotilla/query/v1/application_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { renderTable } from "../output/text-table.ts";
import { withQueryEcho } from "../query/query-echo.ts";
import { refuseOption } from "../query/query-format.ts";
import { requireAnswer } from "../saved-queries/saved-query-view.ts";

/** Users and groups of an application. */
export interface ApplicationMembers {
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export interface ApplicationWanted extends ApplicationMembers {
  readonly name: string;
  readonly selector: string;
  readonly description: string;
}

export async function createApplication(call: HubCall, wanted: ApplicationWanted): Promise<void> {
  const { name, selector, description } = wanted;
  const request = { name, selector, description, ...copy(wanted) };
  const client = createClient(ApplicationService, call.transport);
  const { application } = await withQueryEcho(selector, () =>
    client.createApplication(request, { signal: call.signal }),
  );
  await print(call, requireAnswer(application), "is created");
}

export async function listApplications({ transport, io, output, signal }: HubCall): Promise<void> {
  const { applications } = await createClient(ApplicationService, transport).listApplications({}, { signal });
  const rows = applications.map(({ name, selector, users, groups }) => [
    name,
    selector,
    users.join(",") || "-",
    groups.join(",") || "-",
  ]);
  await printResult(io.stdout, output, {
    value: { applications: applications.map(toObject) },
    text: rows.length === 0 ? "no applications\n" : renderTable(["NAME", "SELECTOR", "USERS", "GROUPS"], rows),
  });
}

/** Shows the objects of an application to users and groups. */
export async function grantApplication(call: HubCall, name: string, members: ApplicationMembers): Promise<void> {
  const { users: addUsers, groups: addGroups } = requireMembers(members);
  const client = createClient(ApplicationService, call.transport);
  const { application } = await client.grantApplication({ name, addUsers, addGroups }, { signal: call.signal });
  await print(call, requireAnswer(application), "is granted");
}

/** Shows the objects of an application to users and groups no longer. */
export async function revokeApplication(call: HubCall, name: string, members: ApplicationMembers): Promise<void> {
  const { users: removeUsers, groups: removeGroups } = requireMembers(members);
  const client = createClient(ApplicationService, call.transport);
  const { application } = await client.grantApplication({ name, removeUsers, removeGroups }, { signal: call.signal });
  await print(call, requireAnswer(application), "is revoked");
}

export async function deleteApplication({ transport, io, output, signal }: HubCall, name: string): Promise<void> {
  await createClient(ApplicationService, transport).deleteApplication({ name }, { signal });
  const text = `application ${toTerminalText(name)} is deleted\n`;
  await printResult(io.stdout, output, { value: { name, deleted: true }, text });
}

function requireMembers(members: ApplicationMembers): { users: string[]; groups: string[] } {
  if (members.users.length + members.groups.length === 0)
    refuseOption("name users with --users, or groups with --groups");
  return copy(members);
}

function copy({ users, groups }: ApplicationMembers): { users: string[]; groups: string[] } {
  return { users: [...users], groups: [...groups] };
}

async function print({ io, output }: HubCall, application: Application, done: string): Promise<void> {
  const { name, users, groups } = application;
  const members = [...users.map((user) => `user ${user}`), ...groups.map((group) => `group ${group}`)].join(", ");
  const text = `application ${name} ${done}; it is shown to ${members === "" ? "no user" : members}`;
  await printResult(io.stdout, output, { value: toObject(application), text: `${toTerminalText(text)}\n` });
}

function toObject(application: Application) {
  return toPlainJson(ApplicationSchema, application);
}
