// SPDX-License-Identifier: Apache-2.0
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import { ApplicationService } from "../../gen/flotilla/query/v1/application_pb.ts";
import { parseApplicationSelector } from "../../index/access/application-selector.ts";
import { parseQuery } from "../../index/language/parse-query.ts";
import { printQuery } from "../../index/language/print-query.ts";
import { isDnsLabel } from "../../model/dns-name.ts";
import { quote } from "../../model/text.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import { actorOf } from "../audit/actor-of.ts";
import { checkQueryDescription } from "../saved-queries/query-limits.ts";
import type { ApplicationRecord } from "./application-record.ts";
import type { Applications } from "./applications.ts";

/** Most users and groups of an application, and most characters of a name: as long as a hub's user can be. */
const [maxMembers, maxNameLength] = [100, 256];

/** ApplicationService over the store (AG1, AG2, AG5). */
export function createApplicationService(applications: Applications): ServiceEntry {
  return serviceEntry(ApplicationService, {
    async createApplication({ name, description, selector, users, groups }, { values }) {
      if (!isDnsLabel(name))
        throw new FlotillaError(
          "INVALID_ARGUMENT",
          `${quote(name)} is not a name of an application; write at most 63 lower-case letters, digits and inner dashes`,
        );
      parseApplicationSelector(selector);
      const wanted = {
        name,
        description: checkQueryDescription(description),
        selector: printQuery(parseQuery(selector)),
        ...checkMembers({ users, groups }),
      };
      return { application: toApplication(await applications.create(wanted, actorOf(values))) };
    },

    async listApplications() {
      return { applications: (await applications.list()).map(toApplication) };
    },

    async grantApplication({ name, addUsers, addGroups, removeUsers, removeGroups }, { values }) {
      const change = ({ users, groups }: ApplicationRecord) =>
        checkMembers({
          users: [...users.filter((user) => !removeUsers.includes(user)), ...addUsers],
          groups: [...groups.filter((group) => !removeGroups.includes(group)), ...addGroups],
        });
      return { application: toApplication(await applications.update(name, change, actorOf(values))) };
    },

    async deleteApplication({ name }, { values }) {
      await applications.delete(name, actorOf(values));
      return {};
    },
  });
}

/** Sorted, each once. Throws INVALID_ARGUMENT. */
function checkMembers(members: Pick<ApplicationRecord, "users" | "groups">) {
  const [users, groups] = [unique(members.users), unique(members.groups)];
  for (const name of [...users, ...groups]) {
    if (name === "" || name.length > maxNameLength || !name.isWellFormed())
      throw new FlotillaError("INVALID_ARGUMENT", `a user or group has 1 to ${maxNameLength} characters`);
    // Everybody is in groups such as system:authenticated, and no user of the hub has another such name (RB71).
    if (name.startsWith("system:"))
      throw new FlotillaError(
        "INVALID_ARGUMENT",
        `${quote(name)} cannot be granted; names of system: are Kubernetes' own`,
      );
  }
  if (users.length + groups.length > maxMembers)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      `an application has at most ${maxMembers} users and groups; use a group`,
    );
  return { users, groups };
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

function toApplication({ name, description, selector, users, groups, createdAtMs, revision }: ApplicationRecord) {
  const createdAt = timestampFromMs(createdAtMs);
  return { name, description, selector, users: [...users], groups: [...groups], createdAt, revision };
}
