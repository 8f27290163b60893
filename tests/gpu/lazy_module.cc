// The bytes behind lazy_module.h. RAFTER_LAZY_MODULE is the file that they are in.
asm(".section .rodata\n"
    ".balign 16\n"
    ".global g_lazy_module\n"
    "g_lazy_module:\n"
    ".incbin \"" RAFTER_LAZY_MODULE
    "\"\n"
    ".previous\n");
