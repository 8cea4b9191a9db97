// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { type Application, ApplicationSchema, ApplicationService } from "../../gen/flotilla/query/v1/application_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { recordIo } from "../testing/recorded-io.ts";
import {
  createApplication,
  deleteApplication,
  grantApplication,
  listApplications,
  revokeApplication,
} from "./application-commands.ts";

const selector = "cluster=* namespace=shop kind=Pod";
const shop = (members: Partial<Pick<Application, "users" | "groups">> = {}): Application =>
  create(ApplicationSchema, { name: "shop", selector, users: ["anna"], ...members });

function callWith(service: Partial<ServiceImpl<typeof ApplicationService>>) {
  const recorded = recordIo();
  const transport = createRouterTransport((router) => router.service(ApplicationService, service));
  const { signal } = new AbortController();
  const call: HubCall = { transport, io: recorded.io, output: "text", signal };
  return { call, stdout: recorded.stdout };
}

test("[AG1] creating, granting, revoking and deleting print who sees the objects", async () => {
  const { call, stdout } = callWith({
    createApplication: ({ users, groups }) => ({ application: shop({ users, groups }) }),
    grantApplication: ({ addGroups, removeUsers }) => ({
      application: shop({ users: removeUsers.length > 0 ? [] : ["anna"], groups: addGroups }),
    }),
    deleteApplication: () => ({}),
  });
  await createApplication(call, { name: "shop", selector, description: "", users: ["anna"], groups: [] });
  await grantApplication(call, "shop", { users: [], groups: ["sre"] });
  await revokeApplication(call, "shop", { users: ["anna"], groups: [] });
  await deleteApplication(call, "shop");
  expect(stdout().split("\n")).toEqual([
    "application shop is created; it is shown to user anna",
    "application shop is granted; it is shown to user anna, group sre",
    "application shop is revoked; it is shown to no user",
    "application shop is deleted",
    "",
  ]);
  await expect(grantApplication(call, "shop", { users: [], groups: [] })).rejects.toThrow("--users");
});

test("a list has the selector and the members of each", async () => {
  const { call, stdout } = callWith({ listApplications: () => ({ applications: [shop()] }) });
  await listApplications(call);
  expect(stdout()).toMatch(/^NAME +SELECTOR +USERS +GROUPS\nshop +cluster=\* namespace=shop kind=Pod +anna +-\n$/);
});
