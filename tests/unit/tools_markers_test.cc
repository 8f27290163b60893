// How LIKWID's NvMarker calls come to Rafter, with LIKWID and without.
#include <elf.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>

#include "tests/unit/tools_program.h"
#include "tools/marker_entry.h"
#include "tools/needed_libraries.h"

namespace rafter {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A Rafter of its own in `folder_`/rafter, with the libraries that stand for the
// real ones, and a program that needs a LIKWID.
class RafterRunMarkers : public ToolsProgram {
 protected:
  void SetUp() override {
    ToolsProgram::SetUp();
    Install("rafter");
    Shell("cp " RAFTER_LIKWID_FAKES "/likwid_program app");
  }
  void Install(const std::string& folder) {
    const Said said = Shell("mkdir -p '" + folder + "/bin' '" + folder + "/lib'; cp $RAFTER '" +
                            folder + "/bin'; cp " RAFTER_LIKWID_FAKES "/*.so '" + folder +
                            "/lib'; touch '" + folder + "/lib/libinject.so'");
    ASSERT_EQ(said.exit_status, 0) << said.err;
  }
  std::string Library(const std::string& name) const {
    return folder_.string() + "/rafter/lib/" + name;
  }
};

TEST_F(RafterRunMarkers, StartsAProgramWhoseLikwidIsNotInstalled) {
  const Said said = Shell("rafter/bin/rafter run -o a.rafter --regions nvmarker -- ./app");
  EXPECT_EQ(said.exit_status, 0);
  EXPECT_EQ(said.out, "stand-in nvmarker\n");
  EXPECT_THAT(said.err,
              HasSubstr("rafter: ./app: needs liblikwid.so.9 (LIKWID), which is not installed; a "
                        "stand-in lets it start, its CPU markers are not counted\n"));
}

TEST_F(RafterRunMarkers, FindsTheProgramBehindItsLauncher) {
  for (const char* launcher : {"env", "nice -n 1", "env PATH=/bin ./app"}) {
    const Said said = Shell(std::string("rafter/bin/rafter run --force -o a.rafter --regions both "
                                        "-- ") +
                            launcher + " ./app");
    EXPECT_EQ(said.out, "stand-in nvmarker\n") << launcher << said.err;
  }
  // By its name in PATH, as launchers do.
  EXPECT_EQ(
      Shell("PATH=$PWD:$PATH rafter/bin/rafter run -o b.rafter --regions nvmarker -- env app").out,
      "stand-in nvmarker\n");
}

TEST_F(RafterRunMarkers, LeavesALikwidThatIsInstalledAlone) {
  const Said said = Shell("LD_LIBRARY_PATH=" RAFTER_LIKWID_FAKES
                          " rafter/bin/rafter run -o a.rafter --regions nvmarker -- ./app");
  EXPECT_EQ(said.out, "likwid nvmarker\n");
  EXPECT_THAT(said.err, Not(HasSubstr("LIKWID")));
}

TEST_F(RafterRunMarkers, SaysWhatWouldLetAProgramStart) {
  const Said said = Shell("rafter/bin/rafter run -o a.rafter -- ./app");
  EXPECT_EQ(said.exit_status, 127);  // the loader's own
  EXPECT_THAT(said.err,
              HasSubstr("rafter: ./app: needs liblikwid.so.9 (LIKWID), which is not installed; "
                        "with --regions nvmarker it starts without, and its NvMarker regions are "
                        "counted\n"));
  EXPECT_THAT(Shell("rafter/bin/rafter run --quiet -o b.rafter -- ./app").err,
              Not(HasSubstr("not installed")));
}

TEST_F(RafterRunMarkers, StandsInFrontOfWhatIsPreloadedAlready) {
  const std::string line =
      "rafter/bin/rafter run --force -o a.rafter --regions both -- "
      "sh -c 'echo \"$LD_PRELOAD\"'";
  const std::string ours = Library("libnvmarker.so");
  EXPECT_EQ(Shell(line).out, ours + "\n");
  EXPECT_EQ(Shell("LD_PRELOAD='libm.so.6 libdl.so.2' " + line).out,
            ours + ":libm.so.6 libdl.so.2\n");
  EXPECT_EQ(Shell("LD_PRELOAD=libm.so.6:" + ours + " " + line).out, "libm.so.6:" + ours + "\n");
  EXPECT_EQ(Shell("LD_PRELOAD=libm.so.6 rafter/bin/rafter run --force -o a.rafter -- "
                  "sh -c 'echo \"$LD_PRELOAD\"'")
                .out,
            "libm.so.6\n");
}

TEST_F(RafterRunMarkers, SaysThatAPathWithABlankCannotBePreloaded) {
  for (const char* folder : {"two words", "a:b"}) {
    Install(folder);
    const Said said = Shell(std::string("'") + folder +
                            "/bin/rafter' run --force -o a.rafter --regions nvmarker -- "
                            "sh -c 'echo \"[$LD_PRELOAD]\"; exit 3'");
    EXPECT_EQ(said.exit_status, 3);
    EXPECT_EQ(said.out, "[]\n");
    EXPECT_THAT(said.err, HasSubstr("run: NvMarker regions are not seen: " + folder_.string() +
                                    "/" + folder + "/lib/libnvmarker.so: cannot be preloaded"));
    EXPECT_THAT(said.err, HasSubstr("install Rafter in a folder whose path has neither"));
  }
  EXPECT_EQ(
      Shell("a:b/bin/rafter run --strict -o b.rafter --regions nvmarker -- touch ran").exit_status,
      125);
  EXPECT_FALSE(Exists("ran"));
}

TEST_F(RafterRunMarkers, SaysThatTheLibrariesAreNotThere) {
  const Said said = Shell(
      "rm rafter/lib/libnvmarker.so rafter/lib/liblikwid-standin.so; "
      "rafter/bin/rafter run -o a.rafter --regions nvmarker -- ./app");
  EXPECT_THAT(said.err, HasSubstr("NvMarker regions are not seen: libnvmarker.so: not there "
                                  "(looked for " +
                                  Library("libnvmarker.so")));
  EXPECT_THAT(said.err,
              HasSubstr("./app: needs liblikwid.so.9 (LIKWID), which is not installed; no "
                        "stand-in lets it start: liblikwid-standin.so: not there"));
}

TEST_F(RafterRunMarkers, HasNoRunWithoutRafterWhereAStandInIsNeeded) {
  const Said said = Shell(
      "rafter/bin/rafter run -o a.rafter --regions nvmarker --measure-overhead -- ./app "
      "< /dev/null");
  EXPECT_THAT(said.err, HasSubstr("--measure-overhead: it was not run without Rafter, since it "
                                  "needs LIKWID, which is not installed"));
}

TEST_F(RafterRunMarkers, HasNoRunWithoutRafterWhereItIsPreloadedByHand) {
  const Said said = Shell("LD_PRELOAD=" + Library("libnvmarker.so") +
                          " rafter/bin/rafter run --measure-overhead -- touch ran < /dev/null");
  EXPECT_EQ(said.exit_status, 2);
  EXPECT_THAT(said.err, HasSubstr("--measure-overhead: LD_PRELOAD brings libnvmarker.so into the "
                                  "program"));
  EXPECT_FALSE(Exists("ran"));
}

TEST_F(RafterRunMarkers, TakesTheStandInAwayWhenTheRunEnds) {
  const Said said = Shell(
      "mkdir -m 700 run; XDG_RUNTIME_DIR=$PWD/run rafter/bin/rafter run --collector /no/such "
      "--regions nvmarker -- env sh -c 'ls run/*/likwid; ./app' ./app; ls run");
  EXPECT_EQ(said.out, "liblikwid.so.9\nstand-in nvmarker\n") << said.err;
}

TEST_F(RafterRunMarkers, EnvPrintsThePreloadToo) {
  const Said said = Shell(
      "export LD_PRELOAD=libm.so.6; eval \"$(rafter/bin/rafter env --regions nvmarker)\"; "
      "eval \"$(rafter/bin/rafter env)\"; echo \"$LD_PRELOAD $RAFTER_REGIONS\"");
  EXPECT_EQ(said.out, Library("libnvmarker.so") + ":libm.so.6 nvmarker\n") << said.err;
  EXPECT_EQ(Shell("rm rafter/lib/libnvmarker.so; rafter/bin/rafter env --regions both").exit_status,
            1);
}

class FindMissingLibrariesOf : public RafterRunMarkers {
 protected:
  // An ELF file of nothing but the name of its loader.
  void MakeProgram(const std::string& name, const std::string& loader) const {
    Elf64_Ehdr start = {};
    std::memcpy(start.e_ident, ELFMAG, SELFMAG);
    start.e_ident[EI_CLASS] = ELFCLASS64;
    start.e_phoff = sizeof(start);
    start.e_phentsize = sizeof(Elf64_Phdr);
    start.e_phnum = 1;
    Elf64_Phdr header = {};
    header.p_type = PT_INTERP;
    header.p_offset = sizeof(start) + sizeof(header);
    header.p_filesz = loader.size() + 1;
    std::string bytes(reinterpret_cast<const char*>(&start), sizeof(start));
    bytes.append(reinterpret_cast<const char*>(&header), sizeof(header));
    Write(name, bytes + loader + std::string(1, '\0'));
    chmod(Path(name).c_str(), 0755);
  }
  std::string Path(const std::string& name) const { return folder_.string() + "/" + name; }
};

TEST_F(FindMissingLibrariesOf, WhatHasNoLoaderIsNotAsked) {
  EXPECT_THAT(LoaderOf(RAFTER_PROGRAM), HasSubstr("/ld"));
  Write("script", "#!/bin/sh\nexit 0\n");
  Write("cut", std::string(ELFMAG, SELFMAG) + "\2");
  for (const char* name : {"script", "cut", "gone"}) EXPECT_EQ(LoaderOf(Path(name)), "") << name;
  EXPECT_EQ(LoaderOf(folder_), "");
  EXPECT_THAT(FindMissingLibraries({Path("script"), Path("cut")}, {}, "lib").missing, IsEmpty());
  EXPECT_THAT(FindMissingLibraries({""}, {}, "lib").missing, IsEmpty());
}

TEST_F(FindMissingLibrariesOf, OnlyWhatIsNotFoundAndHasThePrefixIsMissing) {
  Shell("cp app other");
  const NeededLibraries needed =
      FindMissingLibraries({Path("app"), Path("other"), Path("app")}, {}, "liblikwid.so");
  EXPECT_EQ(needed.trouble, "");
  ASSERT_EQ(needed.missing.size(), 1u);  // once for both
  EXPECT_EQ(needed.missing[0].library, "liblikwid.so.9");
  EXPECT_EQ(needed.missing[0].program, Path("app"));
  EXPECT_THAT(FindMissingLibraries({Path("app")}, {}, "libc.so").missing, IsEmpty());
  EXPECT_THAT(FindMissingLibraries({Path("app")}, {{"LD_LIBRARY_PATH", RAFTER_LIKWID_FAKES}}, "lib")
                  .missing,
              IsEmpty());
}

TEST_F(FindMissingLibrariesOf, ALoaderThatOnlyALaterWordNamesIsNotRun) {
  MakeProgram("data", Path("ld-linux-gone"));
  EXPECT_EQ(FindMissingLibraries({"env", Path("data")}, {}, "lib").trouble, "");
  // The first word is started anyway.
  EXPECT_EQ(FindMissingLibraries({Path("data")}, {}, "lib").trouble,
            Path("data") +
                ": its loader was asked which libraries it lacks, and it cannot be "
                "started (No such file or directory)");
}

TEST_F(FindMissingLibrariesOf, ALoaderThatMightStartTheProgramIsNotRun) {
  MakeProgram("data", Path("ld-musl-gone"));
  EXPECT_EQ(FindMissingLibraries({Path("data")}, {}, "lib").trouble, "");
}

TEST_F(FindMissingLibrariesOf, ALoaderThatHangsIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(Path("nobody-writes").c_str(), 0600), 0);
  const auto start = std::chrono::steady_clock::now();
  const NeededLibraries needed =
      FindMissingLibraries({Path("app")}, {{"LD_PRELOAD", Path("nobody-writes")}}, "liblikwid.so");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3 * kLoaderPatience);
  EXPECT_THAT(needed.trouble, EndsWith("it gave no answer within 5000 ms"));
  EXPECT_THAT(needed.missing, IsEmpty());
}

}  // namespace
}  // namespace rafter
