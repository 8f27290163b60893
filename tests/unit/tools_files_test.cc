// Files that commands write and the folders that sockets live in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tools/chart_output.h"
#include "tools/output_file.h"
#include "tools/private_folder.h"
#include "tools/table_input.h"

namespace rafter {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ToolsFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = ::testing::TempDir() + "rafter-files-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string Path(const char* name) const { return (folder_ / name).string(); }
  void Write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
  std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(ToolsFiles, OutputIsRefusedWhereAFileIs) {
  Write(Path("a.csv"), "mine");
  const auto file = OutputFile::Take(Path("a.csv"), false);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.status().message(), HasSubstr("exists; give --force to overwrite it"));
  EXPECT_EQ(Read(Path("a.csv")), "mine");
}

TEST_F(ToolsFiles, OutputGivesItsPlaceBackWhenNothingWasWritten) {
  { ASSERT_TRUE(OutputFile::Take(Path("a.csv"), false).ok()); }
  EXPECT_FALSE(fs::exists(Path("a.csv")));
}

TEST_F(ToolsFiles, TwoWritersOfOnePathAreTold) {
  auto first = OutputFile::Take(Path("a.csv"), false);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(OutputFile::Take(Path("a.csv"), false).ok());
  ASSERT_TRUE(first->Write("text").ok());
  EXPECT_EQ(Read(Path("a.csv")), "text");
}

TEST_F(ToolsFiles, ForceReplacesWhatALinkPointsTo) {
  Write(Path("a.csv"), "old");
  fs::create_symlink("a.csv", Path("link.csv"));
  auto file = OutputFile::Take(Path("link.csv"), true);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Write("new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.csv")));
  EXPECT_EQ(Read(Path("a.csv")), "new");
}

TEST_F(ToolsFiles, OutputInPartsArrivesInOrderAndWhole) {
  auto file = OutputFile::Take(Path("a"), false);
  ASSERT_TRUE(file.ok());
  std::string wanted;
  const Status status = file->WriteParts([&](const OutputFile::Put& put) {
    for (const size_t size : {3u, 300'000u, 200'000u, 100'000u, 1u}) {
      const std::string part(size, static_cast<char>('a' + wanted.size() % 26));
      wanted += part;
      RAFTER_RETURN_IF_ERROR(put(part));
    }
    return Status::Ok();
  });
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(Read(Path("a")) == wanted);
}

TEST_F(ToolsFiles, OutputWhosePartsFailLeavesWhatWasThere) {
  Write(Path("a.csv"), "old");
  {
    auto file = OutputFile::Take(Path("a.csv"), true);
    ASSERT_TRUE(file.ok());
    const Status status = file->WriteParts([&](const OutputFile::Put& put) {
      RAFTER_RETURN_IF_ERROR(put(std::string(1'000'000, 'x')));
      return Status::Failed("the run file broke off");
    });
    EXPECT_EQ(status.message(), "the run file broke off");
  }
  EXPECT_EQ(Read(Path("a.csv")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(ToolsFiles, OutputNamesErrnoForAMissingFolderAndAFullDevice) {
  EXPECT_THAT(OutputFile::Take(Path("no/a.csv"), false).status().message(),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(OutputFile::Take(folder_.string(), true).status().message(),
              HasSubstr("Is a directory"));
  auto full = OutputFile::Take("/dev/full", false);
  ASSERT_TRUE(full.ok());
  EXPECT_THAT(full->Write("x").message(), HasSubstr("No space left on device"));
}

TEST_F(ToolsFiles, ChartFormatComesFromTheSuffix) {
  EXPECT_TRUE(ChartFormatOf("a.b.png").ok());
  EXPECT_THAT(ChartFormatOf("a.jpg").status().message(),
              HasSubstr("choose .html, .svg, .pdf or .png"));
}

TEST_F(ToolsFiles, SameFileIsKnownByAnyName) {
  Write(Path("a"), "x");
  std::filesystem::create_symlink(Path("a"), Path("link"));
  EXPECT_TRUE(IsSameFile(Path("a"), Path("./a")));
  EXPECT_TRUE(IsSameFile(Path("a"), Path("link")));
  EXPECT_TRUE(IsSameFile(Path("new"), Path("./new")));
  EXPECT_FALSE(IsSameFile(Path("a"), Path("new")));
  EXPECT_FALSE(IsSameFile("/dev/null", "/dev/null"));
}

TEST_F(ToolsFiles, KindIsToldByTheFirstBytes) {
  Write(Path("run"), std::string("SQLite format 3\0", 16) + "more");
  Write(Path("spool"), std::string("RAFTERSP\1\0\0\0\0\0\0\0", 16));
  Write(Path("start"), "RAFTERSP");
  Write(Path("csv"), "Region\nx\n");
  Write(Path("nothing"), "");
  EXPECT_EQ(*FileKindOf(Path("run")), FileKind::kRunFile);
  EXPECT_EQ(*FileKindOf(Path("spool")), FileKind::kSpool);
  Write(Path("marker"), "1 1 1\n0:a-0\n");
  EXPECT_EQ(*FileKindOf(Path("marker")), FileKind::kMarker);
  EXPECT_EQ(*FileKindOf(Path("start")), FileKind::kSpoolStart);
  EXPECT_EQ(*FileKindOf(Path("csv")), FileKind::kOther);
  EXPECT_EQ(*FileKindOf(Path("nothing")), FileKind::kEmpty);
  EXPECT_THAT(FileKindOf(Path("gone")).status().message(), HasSubstr("No such file"));
  EXPECT_THAT(FileKindOf(folder_.string()).status().message(), HasSubstr("Is a directory"));
}

TEST_F(ToolsFiles, PrivateFolderIsOursAloneAndGoesAway) {
  std::string path;
  {
    auto folder = PrivateFolder::Make({{"XDG_RUNTIME_DIR", folder_.string()}});
    ASSERT_TRUE(folder.ok()) << folder.status().message();
    path = folder->path();
    EXPECT_THAT(path, HasSubstr(folder_.string()));
    struct stat found;
    ASSERT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777u, 0700u);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ToolsFiles, PrivateFolderFallsBackWhereTheRuntimeFolderCannotBeUsed) {
  auto folder = PrivateFolder::Make({{"XDG_RUNTIME_DIR", Path("not-there")}});
  ASSERT_TRUE(folder.ok());
  EXPECT_THAT(folder->path(), HasSubstr("/tmp/rafter-"));
}

TEST_F(ToolsFiles, FolderThatOthersMayWriteToIsRefused) {
  fs::create_directory(Path("open"));
  fs::permissions(Path("open"), fs::perms::all);
  EXPECT_FALSE(EnsurePrivateFolder(Path("open")).ok());
  Write(Path("file"), "");
  EXPECT_FALSE(EnsurePrivateFolder(Path("file")).ok());
  EXPECT_TRUE(EnsurePrivateFolder(Path("new")).ok());
  EXPECT_TRUE(EnsurePrivateFolder(Path("new")).ok());
}

TEST(DrawChart, TellsLabelsWithCommasApart) {
  Roofline roofline;
  roofline.memory = {{"dram", 4.8e12, RoofOrigin::kGiven}};
  roofline.undrawn = {{"step", "no floating-point work"}, {"step, copy", "no floating-point work"}};
  std::vector<std::string> notes;
  ASSERT_TRUE(DrawChart({roofline, Table()}, "a.svg", notes).ok());
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[1], "a.svg: not drawn: step; step, copy: no floating-point work");
}

}  // namespace
}  // namespace rafter
